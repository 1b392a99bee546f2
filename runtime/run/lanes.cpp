#include "lanes.hpp"

#include <algorithm>
#include <cstring>

#include "../select/upper_halves.hpp"

namespace cst {
namespace {

// Iterations by which items must differ before sorting them, and changing the kernel on the way, is worth the time.
constexpr uint64_t kUneven = 4;

// Core cycles per item of the phases that a stitched middle needs around it: cipher and hash go alone to where it begins. Measured on Zen 4.
constexpr double kAroundPair = 220, kAroundOpenPair = 340;

void put_pointer(uint8_t *state, uint32_t offset, const void *pointer) { memcpy(state + offset, &pointer, sizeof(pointer)); }

template <uint32_t entry, uint32_t rows>
void copy_these(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride) {
#pragma GCC unroll 16
    for (uint32_t i = 0; i < rows; i++) memcpy(to + i * to_stride, from + i * from_stride, entry);
}

// The usual numbers of rows are straight code: half the instructions of a short message would be in this loop.
template <uint32_t entry>
void copy_rows(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride, uint32_t rows) {
    if constexpr (entry == 16) {  // round keys of AES
        if (rows == 11) return copy_these<entry, 11>(to, to_stride, from, from_stride);
        if (rows == 15) return copy_these<entry, 15>(to, to_stride, from, from_stride);
    } else {                      // chaining values
        if (rows == 5) return copy_these<entry, 5>(to, to_stride, from, from_stride);
        if (rows == 8) return copy_these<entry, 8>(to, to_stride, from, from_stride);
    }
    for (uint32_t i = 0; i < rows; i++) memcpy(to + i * to_stride, from + i * from_stride, entry);
}

void copy_words(uint32_t word, uint8_t *to, uint32_t to_stride, const uint8_t *from, uint32_t from_stride, uint32_t rows) {
    if (word == 4) copy_rows<4>(to, to_stride, from, from_stride, rows);
    else if (word == 16) copy_rows<16>(to, to_stride, from, from_stride, rows);
    else copy_rows<8>(to, to_stride, from, from_stride, rows);
}

// The lanes of one kernel and the items in them, for a run of calls.
template <bool cipher, bool hash>
class Lanes {
public:
    Lanes(const Variant &v, uint8_t *state)
        : v_(v), state_(state), cipher_places_(v.cipher.lanes.data()), hash_places_(v.hash.lanes.data()), step_log2_(v.step_log2), lag_(v.lag) {
        for (uint32_t i = 0; i < v.lanes; i++) item_[i] = nullptr;
        for (const Variant::Link &link : v.links) put_pointer(state, link.from, state + link.hand);
        for (uint32_t i = 0; i < v.n_streams; i++) args_.state[i] = state + v.state_offset[i];
    }

    void share_key(const uint8_t *round_keys) {
        for (uint32_t copy : v_.cipher.key_copies)
            copy_rows<16>(state_ + copy, v_.cipher.key_row_bytes, round_keys, 16, v_.cipher.key_rows);
    }

    void load(uint32_t lane, Item *item) {
        item_[lane] = item;
        if constexpr (cipher) {
            const LanePlace &place = cipher_places_[lane];
            if (place.chain != NO_FIELD) memcpy(state_ + place.chain, item->cipher_from, 16);
            if (place.key != NO_FIELD) copy_rows<16>(state_ + place.key, v_.cipher.key_row_bytes, item->round_keys, 16, v_.cipher.key_rows);
        }
        if constexpr (hash) {
            const uint32_t at = hash_places_[lane].chain, word = v_.hash.chain_entry;
            copy_words(word, state_ + at, v_.hash.chain_row_bytes, item->hash_from, word, v_.hash.chain_rows);
            const uint32_t key = hash_places_[lane].key, rows = v_.hash.key_rows;
            if (key != NO_FIELD) copy_rows<16>(state_ + key, v_.hash.key_row_bytes, item->mac_keys_end - 16 * rows, 16, rows);
        }
        point(lane, item, item->out);
    }

    void unload(uint32_t lane) {
        Item *item = item_[lane];
        item_[lane] = nullptr;
        if constexpr (cipher) {
            const uint32_t at = cipher_places_[lane].chain;
            if (at != NO_FIELD) memcpy(item->cipher_chain, state_ + at, 16);
            item->cipher_from = item->cipher_chain;
        }
        if constexpr (hash) {
            const uint32_t at = hash_places_[lane].chain, word = v_.hash.chain_entry;
            copy_words(word, item->hash_chain, word, state_ + at, v_.hash.chain_row_bytes, v_.hash.chain_rows);
            item->hash_from = item->hash_chain;
        }
    }

    // Empty lanes read what a live one reads.
    void idle(uint8_t *idle_out) {
        const Item *model = nullptr;
        for (uint32_t i = 0; !model; i++) model = item_[i];
        for (uint32_t i = 0; i < v_.lanes; i++)
            if (!item_[i]) point(i, model, idle_out);
    }

    void call(cst_kernel_fn fn, uint64_t iterations) {
        args_.iterations = iterations;
        fn(&args_);
    }

    // True when the item has too little left for another call.
    bool advance(uint32_t lane, uint64_t iterations) {
        Item *item = item_[lane];
        const uint64_t bytes = iterations << step_log2_;
        item->iterations -= iterations;
        item->bytes -= bytes;
        item->done += bytes;
        if constexpr (cipher) {
            item->in += bytes;
            item->out += bytes;
        }
        if constexpr (hash) item->hash_in += bytes;
        if (item->iterations <= lag_) {
            if (cipher || !item->go_on()) return true;
            item->iterations = item->bytes >> step_log2_;
            if (item->iterations <= lag_) return true;
        }
        point(lane, item, item->out);
        return false;
    }

    Item *at(uint32_t lane) const { return item_[lane]; }

private:
    void point(uint32_t lane, const Item *item, uint8_t *out) {
        if constexpr (cipher) {
            put_pointer(state_, cipher_places_[lane].in, item->in);
            put_pointer(state_, cipher_places_[lane].out, out);
        }
        if constexpr (hash)
            if (hash_places_[lane].in != NO_FIELD) put_pointer(state_, hash_places_[lane].in, item->hash_in);
    }

    const Variant &v_;
    uint8_t *state_;
    const LanePlace *cipher_places_, *hash_places_;
    const uint32_t step_log2_, lag_;
    Item *item_[MAX_LANES];  // the first v_.lanes
    cst_kernel_args args_ = {};
};

// Runs items until each has fewer iterations left than a call needs, or, once the list is empty, until no more than `stop_at` lanes are live.
// Returns the number of calls.
template <bool cipher, bool hash>
uint64_t run_lanes(const Variant &v, cst_kernel_fn fn, LaneMemory *memory, Item **items, size_t n, size_t stop_at) {
    Lanes<cipher, hash> lanes(v, memory->state);
    if (v.one_key) lanes.share_key(items[0]->round_keys);
    const uint32_t width = v.lanes;
    size_t next = 0;
    uint64_t calls = 0, iterations = UINT64_MAX;
    for (uint32_t i = 0; i < width && next < n; i++) {
        iterations = std::min(iterations, items[next]->iterations);
        lanes.load(i, items[next++]);
    }
    size_t live = next;
    while (live) {
        if (live < width) {
            lanes.idle(memory->idle_out);
            if (cipher) {
                iterations = std::min<uint64_t>(iterations, IDLE_OUT_BYTES >> v.step_log2);
                memory->idle_used = true;
            }
        }
        lanes.call(fn, iterations);
        calls++;
        uint64_t shortest = UINT64_MAX;
        for (uint32_t i = 0; i < width; i++) {
            if (!lanes.at(i)) continue;
            if (lanes.advance(i, iterations)) {
                lanes.unload(i);
                live--;
                if (next == n) continue;
                lanes.load(i, items[next++]);
                live++;
            }
            shortest = std::min(shortest, lanes.at(i)->iterations);
        }
        iterations = shortest;
        if (next < n || live > stop_at) continue;
        for (uint32_t i = 0; i < width; i++)
            if (lanes.at(i)) lanes.unload(i);
        break;
    }
    return calls;
}

// Lists the items of at least `need` bytes in classes of about the same length, the longest first.
void sort_longest_first(Item *const *items, size_t n, uint64_t need, uint64_t longest, Item **order) {
    constexpr uint32_t kClasses = 64;
    uint32_t shift = 0;
    while (longest >> shift >= kClasses) shift++;
    uint32_t place[kClasses + 1] = {};
    auto class_of = [&](const Item *item) { return kClasses - 1 - uint32_t(item->bytes_and_then() >> shift); };
    for (size_t i = 0; i < n; i++)
        if (items[i]->bytes >= need) place[class_of(items[i]) + 1]++;
    for (uint32_t i = 1; i < kClasses; i++) place[i] += place[i - 1];
    for (size_t i = 0; i < n; i++)
        if (items[i]->bytes >= need) order[place[class_of(items[i])]++] = items[i];
}

// The number of live lanes from which on another kernel would serve the rest better.
size_t stop_below(const Phase &phase, const Variant *chosen, Query query) {
    size_t most = std::min<size_t>(query.items, chosen->lanes);
    for (query.items = most / 2; query.items; query.items /= 2)
        if (decide(phase, query) != chosen) return query.items;
    return 0;
}

// Whether the forced kernel does another part of the work, so that pairs of the family must not.
bool keeps_out(const Suite &suite, const Family &family) {
    if (suite.forced->role == Role::open_pair) return &family == &suite.handed_open_pairs && !suite.forced->hand;
    return suite.forced->role != Role::pair;
}

}  // namespace

Query query_of(const Phase &phase, size_t n, uint64_t mean, uint64_t least) {
    Query query;
    query.items = n;
    query.bytes = mean;
    query.least = least;
    query.one_key = phase.one_key;
    query.aligned = phase.aligned;
    return query;
}

Pick choose_pair(const Phase &phase, const Query &query) {
    const Suite &suite = *phase.suite;
    const Family &family = *phase.family;
    if (suite.forced && keeps_out(suite, family)) return Pick();
    Pick pair = pick(family, query, suite.forced);
    if (!pair.variant || pair.variant == suite.forced) return pair;
    const double around = (&family == &suite.pairs ? kAroundPair : kAroundOpenPair) / double(query.bytes), stitched = pair.cycles_per_byte + around;
    Query rivals = query;  // most of the bytes are in items that any kernel could do
    rivals.least = std::max(query.least, query.bytes);
    if (&family == &suite.handed_open_pairs) {
        const Pick other = pick(suite.open_pairs, rivals, nullptr);
        if (other.variant && other.cycles_per_byte + around < stitched) return Pick();
    }
    const Pick cipher = pick(&family == &suite.pairs ? suite.encrypts : suite.decrypts, rivals, nullptr), hash = pick(suite.hashes, rivals, nullptr);
    const bool apart = cipher.variant && hash.variant && cipher.cycles_per_byte + hash.cycles_per_byte < stitched * (1 - 2 * COST_PRECISION);  // two costs are added
    return apart ? Pick() : pair;
}

const Variant *decide(const Phase &phase, const Query &query) {
    const Suite &suite = *phase.suite;
    const bool usual = suite.memo && !suite.forced && !query.only_ready;
    const Variant *choice;
    if (usual && suite.memo->recall(*phase.family, query, phase.pair, &choice)) return choice;
    choice = (phase.pair ? choose_pair(phase, query) : pick(*phase.family, query, suite.forced)).variant;
    if (usual) suite.memo->remember(*phase.family, query, phase.pair, choice);
    return choice;
}

void run_phase(const Phase &phase, LaneMemory *memory, Item *const *items, Item **order, size_t n) {
    const Engine &engine = *phase.suite->engine;
    const Variant *first = phase.first;
    bool only_ready = false;
    for (uint64_t need : phase.family->needs) {
        for (;;) {
            size_t pending = 0;
            uint64_t sum = 0, shortest = UINT64_MAX, longest = 0, bits = 0;
            for (size_t i = 0; i < n; i++) {
                items[i]->go_on();
                if (items[i]->bytes < need) continue;
                const uint64_t bytes = items[i]->bytes_and_then();
                order[pending++] = items[i];
                sum += bytes;
                bits |= items[i]->bits();
                shortest = std::min(shortest, bytes);
                longest = std::max(longest, bytes);
            }
            if (!pending) break;
            Query query = query_of(phase, pending, shortest == longest ? longest : sum / pending, need);
            query.only_ready = only_ready;
            const Variant *choice = first ? first : decide(phase, query);
            first = nullptr;
            if (!choice) break;
            const Kernel *kernel;
            if (engine.fetch(*choice, &kernel)) {
                only_ready = true;
                continue;
            }
            const Variant &v = *choice;
            bool all = pending == n && v.lag == 0 && (bits & (v.step - 1)) == 0;  // nothing will be left
            for (size_t i = 0; i < pending; i++) order[i]->iterations = order[i]->bytes >> v.step_log2;
            size_t stop_at = 0;
            if (longest - shortest >= kUneven * v.step) {  // longest first, so that the lanes become empty together
                sort_longest_first(items, n, need, longest, order);
                stop_at = stop_below(phase, &v, query);
                all &= stop_at == 0;
            } else if (pending > v.lanes && (pending & (v.lanes - 1))) {
                pending &= ~size_t(v.lanes - 1);  // whole rounds; the rest gets a kernel of its own
                all = false;
            }
            if (v.legacy_sse && engine.avx()) clear_upper_halves();
            memory->state_used = std::max(memory->state_used, size_t(v.state_bytes));
            const auto run = v.stitched() ? run_lanes<true, true> : v.role == Role::hash ? run_lanes<false, true> : run_lanes<true, false>;
            const uint64_t calls = run(v, kernel->fn, memory, order, pending, stop_at);
            v.calls.fetch_add(calls, std::memory_order_relaxed);
            if (all) return;
        }
    }
}

}  // namespace cst
