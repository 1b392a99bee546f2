#include "lanes.hpp"

#include <algorithm>
#include <cstring>

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

// The lanes of one kernel and the items in them, for a run of calls. The kernel sees none of it, so the compiler keeps it in registers.
// `word`, `words`: the hash's chaining values, where the compiler shall know them.
template <bool cipher, bool hash, uint32_t word = 0, uint32_t words = 0>
class Lanes {
public:
    Lanes(const Variant &v, uint8_t *state)
        : state_(state), cipher_places_(v.cipher.lanes.data()), hash_places_(v.hash.lanes.data()), width_(v.lanes), step_log2_(v.step_log2), lag_(v.lag),
          key_rows_(v.cipher.key_rows), key_stride_(v.cipher.key_row_bytes), word_(v.hash.chain_entry), chain_rows_(v.hash.chain_rows),
          chain_stride_(v.hash.chain_row_bytes), mac_rows_(v.hash.key_rows), mac_stride_(v.hash.key_row_bytes) {
        for (uint32_t i = 0; i < width_; i++) item_[i] = nullptr;
        if constexpr (cipher)
            for (uint32_t i = 0; i < width_; i++) keys_[i] = nullptr;
        for (const Variant::Link &link : v.links) put_pointer(state, link.from, state + link.hand);
    }

    void share_key(const Part &part, const uint8_t *round_keys) {
        for (uint32_t copy : part.key_copies) copy_rows<16>(state_ + copy, key_stride_, round_keys, 16, key_rows_);
    }

    void load(uint32_t lane, Item *item) {
        item_[lane] = item;
        if constexpr (cipher) {
            const LanePlace &place = cipher_places_[lane];
            if (place.chain != NO_FIELD) memcpy(state_ + place.chain, item->cipher_from, 16);
            if (place.key != NO_FIELD && keys_[lane] != item->round_keys) {
                copy_rows<16>(state_ + place.key, key_stride_, item->round_keys, 16, key_rows_);
                keys_[lane] = item->round_keys;
            }
        }
        if constexpr (hash) {
            uint8_t *to = state_ + hash_places_[lane].chain;
            if constexpr (word != 0) copy_these<word, words>(to, chain_stride_, item->hash_from, word);
            else copy_words(word_, to, chain_stride_, item->hash_from, word_, chain_rows_);
            const uint32_t key = hash_places_[lane].key;
            if (key != NO_FIELD) copy_rows<16>(state_ + key, mac_stride_, item->mac_keys_end - 16 * mac_rows_, 16, mac_rows_);
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
            const uint8_t *from = state_ + hash_places_[lane].chain;
            if constexpr (word != 0) copy_these<word, words>(item->hash_chain, word, from, chain_stride_);
            else copy_words(word_, item->hash_chain, word_, from, chain_stride_, chain_rows_);
            item->hash_from = item->hash_chain;
        }
    }

    // Empty lanes read what a live one reads.
    void idle(uint8_t *idle_out) {
        const Item *model = nullptr;
        for (uint32_t i = 0; !model; i++) model = item_[i];
        for (uint32_t i = 0; i < width_; i++)
            if (!item_[i]) point(i, model, idle_out);
    }

    // Takes what a call has done off the item.
    void take(Item *item, uint64_t iterations) const {
        const uint64_t bytes = iterations << step_log2_;
        item->bytes -= bytes;
        item->done += bytes;
        if constexpr (cipher) {
            item->in += bytes;
            item->out += bytes;
        }
        if constexpr (hash) item->hash_in += bytes;
    }

    // True when the item has too little left for another call.
    bool advance(uint32_t lane, uint64_t iterations) {
        Item *item = item_[lane];
        take(item, iterations);
        item->iterations -= iterations;
        if (item->iterations <= lag_) {
            if (cipher || !item->go_on()) return true;
            item->iterations = item->bytes >> step_log2_;
            if (item->iterations <= lag_) return true;
        }
        point(lane, item, item->out);
        return false;
    }

    // To the item's next piece.
    void go_on(uint32_t lane) {
        item_[lane]->go_on();
        point(lane, item_[lane], nullptr);
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

    uint8_t *const state_;
    const LanePlace *const cipher_places_, *const hash_places_;
    const uint32_t width_, step_log2_, lag_;
    const uint32_t key_rows_, key_stride_, word_, chain_rows_, chain_stride_, mac_rows_, mac_stride_;
    Item *item_[MAX_LANES];  // the first width_
    const uint8_t *keys_[cipher ? MAX_LANES : 1];  // that are in the lanes already
};

cst_kernel_args arguments(const Variant &v, uint8_t *state) {
    cst_kernel_args args = {};
    for (uint32_t i = 0; i < v.n_streams; i++) args.state[i] = state + v.state_offset[i];
    return args;
}

void call(cst_kernel_fn fn, cst_kernel_args *args, uint64_t iterations) {
    args->iterations = iterations;
    fn(args);
}

// Runs items that are alike, and no longer than IDLE_OUT_BYTES, as far as whole iterations go. Returns the number of calls.
template <bool cipher, bool hash, uint32_t word = 0, uint32_t words = 0>
uint64_t run_equal(const Variant &v, cst_kernel_fn fn, LaneMemory *memory, Item *const *items, size_t n) {
    Lanes<cipher, hash, word, words> lanes(v, memory->state);
    cst_kernel_args args = arguments(v, memory->state);
    if (v.one_key) lanes.share_key(v.cipher, items[0]->round_keys);
    const size_t width = v.lanes;
    uint64_t calls = 0;
    for (size_t first = 0; first < n; first += width) {
        const size_t live = std::min(n - first, width);
        for (size_t i = 0; i < live; i++) lanes.load(uint32_t(i), items[first + i]);
        for (bool more = true; more;) {
            if (live < width) {
                lanes.idle(memory->idle_out);
                memory->idle_used |= cipher;
            }
            const uint64_t iterations = items[first]->bytes >> v.step_log2;
            call(fn, &args, iterations);
            calls++;
            for (size_t i = 0; i < live; i++) lanes.take(items[first + i], iterations);
            more = !cipher && items[first]->then[0].bytes >= v.need() && items[first]->bytes == 0;
            for (size_t i = 0; i < live && more; i++) lanes.go_on(uint32_t(i));
        }
        for (size_t i = 0; i < live; i++) lanes.unload(uint32_t(i));
    }
    return calls;
}

// Runs items until each has fewer iterations left than a call needs, or, once the list is empty, until no more than `stop_at` lanes are live.
// Returns the number of calls.
template <bool cipher, bool hash>
uint64_t run_lanes(const Variant &v, cst_kernel_fn fn, LaneMemory *memory, Item *const *items, size_t n, size_t stop_at) {
    Lanes<cipher, hash> lanes(v, memory->state);
    cst_kernel_args args = arguments(v, memory->state);
    if (v.one_key) lanes.share_key(v.cipher, items[0]->round_keys);
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
        call(fn, &args, iterations);
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

uint64_t run_equal_items(const Variant &v, cst_kernel_fn fn, LaneMemory *memory, Item *const *items, size_t n) {
    const auto is = [&v](uint32_t word, uint32_t words) { return v.hash.chain_entry == word && v.hash.chain_rows == words; };
    const auto run = v.stitched()         ? run_equal<true, true>
                     : v.role != Role::hash ? run_equal<true, false>
                     : is(4, 5)             ? run_equal<false, true, 4, 5>
                     : is(4, 8)             ? run_equal<false, true, 4, 8>
                     : is(8, 8)             ? run_equal<false, true, 8, 8>
                                            : run_equal<false, true>;
    return run(v, fn, memory, items, n);
}

uint64_t run_unequal_items(const Variant &v, cst_kernel_fn fn, LaneMemory *memory, Item *const *items, size_t n, size_t stop_at) {
    for (size_t i = 0; i < n; i++) items[i]->iterations = items[i]->bytes >> v.step_log2;
    const auto run = v.stitched() ? run_lanes<true, true> : v.role == Role::hash ? run_lanes<false, true> : run_lanes<true, false>;
    return run(v, fn, memory, items, n, stop_at);
}

void clear_upper_halves() {
    __asm__ volatile("vzeroupper" : : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
                     "xmm13", "xmm14", "xmm15");
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

// Lists the items of at least `need` bytes.
Item *const *keep_long(Item *const *items, size_t n, uint64_t need, Item **order) {
    Item **next = order;
    for (size_t i = 0; i < n; i++)
        if (items[i]->bytes >= need) *next++ = items[i];
    return order;
}

// The number of live lanes from which on another kernel would serve the rest better.
size_t stop_below(const Phase &phase, const Variant *chosen, Query query) {
    size_t most = std::min<size_t>(query.items, chosen->lanes);
    for (query.items = most / 2; query.items; query.items /= 2)
        if (decide(phase, query) != chosen) return query.items;
    return 0;
}

// What a round has to do.
struct Survey {
    size_t pending = 0;  // items of at least `need` bytes
    uint64_t sum = 0, shortest = UINT64_MAX, longest = 0;
    uint64_t bits = 0;   // of the sizes of all pieces, or-ed: a power of two divides every size if it divides this
    bool alike = true;   // the same pieces
};

Survey survey(Item *const *items, size_t n, uint64_t need) {
    Survey s;
    const uint64_t usual = n ? items[0]->bytes : 0;
    size_t i = 0;
    while (i < n && items[i]->bytes == usual && !items[i]->then[0].bytes) i++;
    if (i == n && usual >= need) {
        s.pending = n;
        s.sum = usual * n;
        s.shortest = s.longest = s.bits = usual;
        return s;
    }
    const Item *first = nullptr;
    for (i = 0; i < n; i++) {
        Item &item = *items[i];
        uint64_t bytes = item.bytes;
        if (item.then[0].bytes) {
            item.go_on();
            bytes = item.bytes_and_then();
            s.bits |= item.bits();
        }
        if (item.bytes < need) continue;
        if (!first) first = &item;
        s.pending++;
        s.sum += bytes;
        s.bits |= item.bytes;
        s.shortest = std::min(s.shortest, bytes);
        s.longest = std::max(s.longest, bytes);
        s.alike &= item.then[0].bytes == first->then[0].bytes && (!item.then[0].bytes || item.same_pieces(*first));
    }
    s.alike &= s.shortest == s.longest;
    return s;
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
            const Survey all = survey(items, n, need);
            size_t pending = all.pending;
            if (!pending) break;
            Query query = query_of(phase, pending, all.alike ? all.longest : all.sum / pending, need);
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
            bool last = pending == n && v.lag == 0 && (all.bits & (v.step - 1)) == 0;  // nothing will be left
            Item *const *list = items;
            size_t stop_at = 0;
            if (all.longest - all.shortest >= kUneven * v.step) {  // longest first, so that the lanes become empty together
                sort_longest_first(items, n, need, all.longest, order);
                list = order;
                stop_at = stop_below(phase, &v, query);
                last &= stop_at == 0;
            } else {
                if (pending < n) list = keep_long(items, n, need, order);
                if (pending > v.lanes && (pending & (v.lanes - 1))) {
                    pending &= ~size_t(v.lanes - 1);  // whole rounds; the rest gets a kernel of its own
                    last = false;
                }
            }
            if (v.legacy_sse && engine.avx()) clear_upper_halves();
            memory->state_used = std::max(memory->state_used, size_t(v.state_bytes));
            const uint64_t calls = all.alike && all.longest <= IDLE_OUT_BYTES ? run_equal_items(v, kernel->fn, memory, list, pending)
                                                                              : run_unequal_items(v, kernel->fn, memory, list, pending, stop_at);
            v.calls.fetch_add(calls, std::memory_order_relaxed);
            if (last) return;
        }
    }
}

}  // namespace cst
