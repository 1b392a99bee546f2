#include "filling.hpp"

#include <algorithm>
#include <cstring>

#include "copy.hpp"

namespace cst {
namespace {

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
          key_rows_(v.cipher.key_rows), key_stride_(v.cipher.key_row_bytes), table_bytes_(v.cipher.table_bytes), word_(v.hash.chain_entry), chain_rows_(v.hash.chain_rows),
          chain_stride_(v.hash.chain_row_bytes), mac_rows_(v.hash.key_rows), mac_stride_(v.hash.key_row_bytes) {
        for (uint32_t i = 0; i < width_; i++) item_[i] = nullptr;
        if constexpr (cipher)
            for (uint32_t i = 0; i < width_; i++) keys_[i] = nullptr;
        for (const Variant::Link &link : v.links) put_pointer(state + link.from, state + link.hand);
    }

    void share_key(const Part &part, const uint8_t *round_keys) {
        for (uint32_t copy : part.key_copies) copy_rows<16>(state_ + copy, key_stride_, round_keys, 16, key_rows_);
    }

    void load(uint32_t lane, Item *item) {
        item_[lane] = item;
        if constexpr (cipher) {
            const LanePlace &place = cipher_places_[lane];
            if (place.chain != NO_FIELD) memcpy(state_ + place.chain, item->cipher_from, 16);
            if (place.table != NO_FIELD) memcpy(state_ + place.table, item->cipher_from + 16, table_bytes_);
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
            const LanePlace &place = cipher_places_[lane];
            if (place.chain != NO_FIELD) memcpy(item->cipher_chain, state_ + place.chain, 16);
            if (place.table != NO_FIELD) memcpy(item->cipher_chain + 16, state_ + place.table, table_bytes_);
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
            put_pointer(state_ + cipher_places_[lane].in, item->in);
            put_pointer(state_ + cipher_places_[lane].out, out);
        }
        if constexpr (hash)
            if (hash_places_[lane].in != NO_FIELD) put_pointer(state_ + hash_places_[lane].in, item->hash_in);
    }

    uint8_t *const state_;
    const LanePlace *const cipher_places_, *const hash_places_;
    const uint32_t width_, step_log2_, lag_;
    const uint32_t key_rows_, key_stride_, table_bytes_, word_, chain_rows_, chain_stride_, mac_rows_, mac_stride_;
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

}  // namespace

uint64_t run_alike(const Variant &v, cst_kernel_fn fn, LaneMemory *memory, Item *const *items, size_t n) {
    const auto is = [&v](uint32_t word, uint32_t words) { return v.hash.chain_entry == word && v.hash.chain_rows == words; };
    const auto run = v.stitched()         ? run_equal<true, true>
                     : v.role != Role::hash ? run_equal<true, false>
                     : is(4, 5)             ? run_equal<false, true, 4, 5>
                     : is(4, 8)             ? run_equal<false, true, 4, 8>
                     : is(8, 8)             ? run_equal<false, true, 8, 8>
                                            : run_equal<false, true>;
    return run(v, fn, memory, items, n);
}

uint64_t run_uneven(const Variant &v, cst_kernel_fn fn, LaneMemory *memory, Item *const *items, size_t n, size_t stop_at) {
    for (size_t i = 0; i < n; i++) items[i]->iterations = items[i]->bytes >> v.step_log2;
    const auto run = v.stitched() ? run_lanes<true, true> : v.role == Role::hash ? run_lanes<false, true> : run_lanes<true, false>;
    return run(v, fn, memory, items, n, stop_at);
}

}  // namespace cst
