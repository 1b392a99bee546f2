#include "lanes.hpp"

#include <algorithm>
#include <cstring>

namespace cst {
namespace {

void put_pointer(uint8_t *state, uint32_t offset, const void *pointer) { memcpy(state + offset, &pointer, sizeof(pointer)); }

template <uint32_t entry>
void copy_rows(uint8_t *to, uint32_t to_stride, const uint8_t *from, uint32_t from_stride, uint32_t rows) {
    for (uint32_t i = 0; i < rows; i++) memcpy(to + i * to_stride, from + i * from_stride, entry);
}

inline void load_chain(const Part &part, const LanePlace &place, uint8_t *state, const uint8_t *chain) {
    uint8_t *to = state + place.chain;
    if (part.chain_entry == 4)
        copy_rows<4>(to, part.chain_row_bytes, chain, 4, part.chain_rows);
    else if (part.chain_entry == 16)
        memcpy(to, chain, 16);
    else
        copy_rows<8>(to, part.chain_row_bytes, chain, 8, part.chain_rows);
}

inline void store_chain(const Part &part, const LanePlace &place, const uint8_t *state, uint8_t *chain) {
    const uint8_t *from = state + place.chain;
    if (part.chain_entry == 4)
        copy_rows<4>(chain, 4, from, part.chain_row_bytes, part.chain_rows);
    else if (part.chain_entry == 16)
        memcpy(chain, from, 16);
    else
        copy_rows<8>(chain, 8, from, part.chain_row_bytes, part.chain_rows);
}

// The lanes of one kernel and the items in them, for a run of calls.
class Lanes {
public:
    Lanes(const Variant &v, uint8_t *state, uint8_t *idle_out)
        : v_(v), state_(state), idle_out_(idle_out), cipher_(!v.cipher.lanes.empty()), hash_(!v.hash.lanes.empty()) {
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
        if (cipher_) {
            const LanePlace &place = v_.cipher.lanes[lane];
            load_chain(v_.cipher, place, state_, item->cipher_chain);
            if (!v_.one_key) copy_rows<16>(state_ + place.key, v_.cipher.key_row_bytes, item->round_keys, 16, v_.cipher.key_rows);
        }
        if (hash_) load_chain(v_.hash, v_.hash.lanes[lane], state_, item->hash_chain);
        point(lane, item, item->out);
    }

    void unload(uint32_t lane) {
        Item *item = item_[lane];
        if (cipher_) store_chain(v_.cipher, v_.cipher.lanes[lane], state_, item->cipher_chain);
        if (hash_) store_chain(v_.hash, v_.hash.lanes[lane], state_, item->hash_chain);
        item_[lane] = nullptr;
    }

    // An empty lane reads what the lane of `model` reads.
    void idle(uint32_t lane, const Item *model) { point(lane, model, idle_out_); }

    void call(cst_kernel_fn fn, uint64_t iterations) {
        args_.iterations = iterations;
        fn(&args_);
    }

    // True when the item has too little left for another call.
    bool advance(uint32_t lane, uint64_t iterations) {
        Item *item = item_[lane];
        const uint64_t bytes = iterations << v_.step_log2;
        item->iterations -= iterations;
        item->bytes -= bytes;
        item->done += bytes;
        if (cipher_) {
            item->in += bytes;
            item->out += bytes;
        }
        if (hash_) item->hash_in += bytes;
        if (item->iterations <= v_.lag) return true;
        point(lane, item, item->out);
        return false;
    }

    Item *at(uint32_t lane) const { return item_[lane]; }

private:
    void point(uint32_t lane, const Item *item, uint8_t *out) {
        if (cipher_) {
            put_pointer(state_, v_.cipher.lanes[lane].in, item->in);
            put_pointer(state_, v_.cipher.lanes[lane].out, out);
        }
        if (hash_ && v_.hash.lanes[lane].in != NO_FIELD) put_pointer(state_, v_.hash.lanes[lane].in, item->hash_in);
    }

    const Variant &v_;
    uint8_t *state_, *idle_out_;
    const bool cipher_, hash_;
    Item *item_[MAX_LANES];  // the first v_.lanes
    cst_kernel_args args_ = {};
};

// Runs items until each has fewer iterations left than a call needs, or, once the list is empty, until no more than `stop_at` lanes are live.
// Returns the number of calls.
uint64_t run_lanes(const Variant &v, cst_kernel_fn fn, LaneMemory *memory, Item **items, size_t n, size_t stop_at) {
    Lanes lanes(v, memory->state, memory->idle_out);
    if (v.one_key) lanes.share_key(items[0]->round_keys);
    const uint32_t width = v.lanes;
    const bool writes = !v.cipher.lanes.empty();
    size_t next = 0, live = 0;
    uint64_t calls = 0;
    for (;;) {
        for (uint32_t i = 0; i < width && next < n; i++) {
            if (lanes.at(i)) continue;
            lanes.load(i, items[next++]);
            live++;
        }
        if (live == 0) return calls;
        uint64_t iterations = UINT64_MAX;
        const Item *model = nullptr;
        for (uint32_t i = 0; i < width; i++) {
            if (!lanes.at(i)) continue;
            iterations = std::min(iterations, lanes.at(i)->iterations);
            model = lanes.at(i);
        }
        if (live < width) {
            for (uint32_t i = 0; i < width; i++)
                if (!lanes.at(i)) lanes.idle(i, model);
            if (writes) {
                iterations = std::min<uint64_t>(iterations, IDLE_OUT_BYTES >> v.step_log2);
                memory->idle_used = true;
            }
        }
        lanes.call(fn, iterations);
        calls++;
        for (uint32_t i = 0; i < width; i++) {
            if (!lanes.at(i)) continue;
            if (!lanes.advance(i, iterations)) continue;
            lanes.unload(i);
            live--;
        }
        if (next == n && live <= stop_at) {
            for (uint32_t i = 0; i < width; i++)
                if (lanes.at(i)) lanes.unload(i);
            return calls;
        }
    }
}

Pick pick_for(const Phase &phase, const Query &query) {
    return phase.pair ? choose_pair(phase, query) : pick(*phase.family, query, phase.suite->forced);
}

Pick recall(const Phase &phase, const Query &query, Choices *choices) {
    if (phase.pair || query.only_ready) return pick_for(phase, query);
    for (const Choices::Known &known : choices->known)
        if (known.family == phase.family && known.items == query.items && known.bytes == query.bytes && known.least == query.least &&
            known.one_key == query.one_key)
            return known.pick;
    Choices::Known &slot = choices->known[choices->next++ % 4];
    slot = {phase.family, query.items, query.bytes, query.least, query.one_key, pick_for(phase, query)};
    return slot.pick;
}

void clear_upper_halves() {
    __asm__ volatile("vzeroupper" : : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
                     "xmm13", "xmm14", "xmm15");
}

// The number of live lanes from which on another kernel would serve the rest better.
size_t stop_below(const Phase &phase, const Variant *chosen, Query query) {
    size_t most = std::min<size_t>(query.items, chosen->lanes);
    for (query.items = most / 2; query.items; query.items /= 2)
        if (pick_for(phase, query).variant != chosen) return query.items;
    return 0;
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
    if (suite.forced && suite.forced->role != Role::pair) return Pick();
    Pick pair = pick(suite.pairs, query, suite.forced);
    if (!pair.variant || suite.forced) return pair;
    Pick cipher = pick(suite.encrypts, query, nullptr), hash = pick(suite.hashes, query, nullptr);
    const bool apart = cipher.variant && hash.variant && cipher.cycles_per_byte + hash.cycles_per_byte < pair.cycles_per_byte;
    return apart ? Pick() : pair;
}

void run_phase(const Phase &phase, LaneMemory *memory, Item *items, Item **order, size_t n) {
    const Engine &engine = *phase.suite->engine;
    const Pick *first = phase.first;
    bool only_ready = false;
    for (uint64_t need : phase.family->needs) {
        for (;;) {
            size_t pending = 0;
            uint64_t sum = 0;
            bool uneven = false;
            for (size_t i = 0; i < n; i++) {
                if (items[i].bytes < need) continue;
                if (pending && items[i].bytes != order[0]->bytes) uneven = true;
                order[pending++] = &items[i];
                sum += items[i].bytes;
            }
            if (!pending) break;
            Query query = query_of(phase, pending, uneven ? sum / pending : order[0]->bytes, need);
            query.only_ready = only_ready;
            const Pick choice = first ? *first : recall(phase, query, &memory->choices);
            first = nullptr;
            if (!choice.variant) break;
            const Kernel *kernel;
            if (engine.fetch(*choice.variant, &kernel)) {
                only_ready = true;
                continue;
            }
            const Variant &v = *choice.variant;
            for (size_t i = 0; i < pending; i++) order[i]->iterations = order[i]->bytes >> v.step_log2;
            size_t stop_at = 0;
            if (uneven) {  // longest first, so that the lanes become empty together
                std::sort(order, order + pending, [](const Item *a, const Item *b) { return a->bytes > b->bytes; });
                stop_at = stop_below(phase, &v, query);
            } else if (pending > v.lanes && (pending & (v.lanes - 1))) {
                pending &= ~size_t(v.lanes - 1);  // equal items: whole rounds; the rest gets a kernel of its own
            }
            if (v.legacy_sse && engine.avx()) clear_upper_halves();
            memory->state_used = std::max(memory->state_used, size_t(v.state_bytes));
            const uint64_t calls = run_lanes(v, kernel->fn, memory, order, pending, stop_at);
            v.calls.fetch_add(calls, std::memory_order_relaxed);
        }
    }
}

}  // namespace cst
