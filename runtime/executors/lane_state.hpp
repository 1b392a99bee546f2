// Access to what steps keep in the lanes of a kernel: chaining values, keys, input and output pointers.
#pragma once

#include <algorithm>

#include "../select/variant.hpp"
#include "../suite/padding.hpp"
#include "copy.hpp"
#include "message.hpp"

namespace cst {

// Copies a row of a key or a chaining value. Such copies name their registers, so that the compiler leaves none on the
// stack; registers are cleared when the call ends.
inline void copy_row(uint8_t *to, const uint8_t *from) {
    typedef uint8_t Row[16];
    __asm__("movups %1, %%xmm0\n\tmovups %%xmm0, %0"
            : "=m"(*reinterpret_cast<Row *>(to))
            : "m"(*reinterpret_cast<const Row *>(from))
            : "xmm0");
}

// Chaining values in the lanes of a hash kernel. A chaining value is contiguous, or a row of the state block holds the
// same word of all lanes. When neighbouring lanes begin or end at once, four (two) rows are written and read 16 bytes
// at a time.
class Chains {
public:
    Chains(const Part &part, uint8_t *state) : Chains(part, state, part.chain_rows) {}
    // Takes the first `rows` rows alone.
    Chains(const Part &part, uint8_t *state, uint32_t rows)
        : places_(part.lanes.data()),
          state_(state),
          rows_(rows),
          stride_(part.chain_row_bytes),
          entry_(part.chain_entry),
          together_(part.chain_together()),
          at_once_(part.chain_columns) {}

    // Writes chaining values to n lanes, in ascending order: chain(i) is that of the i-th.
    template <typename Chain>
    void put(const uint32_t *lanes, size_t n, Chain chain) const {
        for (size_t i = 0; i < n;) {
            uint8_t *const to = state_ + places_[lanes[i]].chain;
            if (together_) {
                put_one(to, chain(i++));
            } else if (!begins(lanes + i, n - i)) {
                copy_entries(to, stride_, chain(i++), entry_);
            } else if (entry_ == 4) {
                const uint8_t *const four[] = {chain(i), chain(i + 1), chain(i + 2), chain(i + 3)};
                put_four(to, four);
                i += 4;
            } else {
                put_two(to, chain(i), chain(i + 1));
                i += 2;
            }
        }
    }
    // Reads chaining values from the lanes: to(i) has room for 64 bytes.
    template <typename To>
    void take(const uint32_t *lanes, size_t n, To to) const {
        for (size_t i = 0; i < n;) {
            const uint8_t *const from = state_ + places_[lanes[i]].chain;
            if (together_) {
                put_one(to(i++), from);
            } else if (!begins(lanes + i, n - i)) {
                copy_entries(to(i++), entry_, from, stride_);
            } else if (entry_ == 4) {
                uint8_t *const four[] = {to(i), to(i + 1), to(i + 2), to(i + 3)};
                take_four(from, four);
                i += 4;
            } else {
                uint8_t *const two[] = {to(i), to(i + 1)};
                take_two(from, two);
                i += 2;
            }
        }
    }

    // Likewise for the lane of a kernel that has one.
    void put_one_lane(const uint8_t *chain) const {
        if (together_) put_one(state_ + places_[0].chain, chain);
        else copy_entries(state_ + places_[0].chain, stride_, chain, entry_);
    }
    // Returns where its chaining value is contiguous: in the state block, or copied to `aside`.
    const uint8_t *one_lane(uint8_t *aside) const {
        if (together_) return state_ + places_[0].chain;
        copy_entries(aside, entry_, state_ + places_[0].chain, stride_);
        return aside;
    }

private:
    static constexpr size_t ROW = 16;

    // Whether the first of these lanes are such neighbours.
    bool begins(const uint32_t *lanes, size_t n) const {
        return at_once_ > 1 && n >= at_once_ && lanes[0] % at_once_ == 0 &&
               lanes[at_once_ - 1] == lanes[0] + at_once_ - 1;
    }

    // Copies the chaining value of one lane, by entries of a size that the compiler knows.
    void copy_entries(uint8_t *to, size_t to_pitch, const uint8_t *from, size_t from_pitch) const {
        if (entry_ == 8)
            for (size_t row = 0; row < rows_; row++, to += to_pitch, from += from_pitch) memcpy(to, from, 8);
        else if (entry_ == 4)
            for (size_t row = 0; row < rows_; row++, to += to_pitch, from += from_pitch) memcpy(to, from, 4);
        else
            for (size_t row = 0; row < rows_; row++, to += to_pitch, from += from_pitch) memcpy(to, from, entry_);
    }

    // Transposes four rows of four words, in registers that it names, too.
    static void transpose(uint8_t *const *to, const uint8_t *const *from) {
        __asm__(
            "movdqu (%4), %%xmm0\n\tmovdqu (%5), %%xmm1\n\tmovdqu (%6), %%xmm2\n\tmovdqu (%7), %%xmm3\n\t"
            "movdqa %%xmm0, %%xmm4\n\tpunpckldq %%xmm1, %%xmm0\n\tpunpckhdq %%xmm1, %%xmm4\n\t"
            "movdqa %%xmm2, %%xmm5\n\tpunpckldq %%xmm3, %%xmm2\n\tpunpckhdq %%xmm3, %%xmm5\n\t"
            "movdqa %%xmm0, %%xmm1\n\tpunpcklqdq %%xmm2, %%xmm0\n\tpunpckhqdq %%xmm2, %%xmm1\n\t"
            "movdqa %%xmm4, %%xmm3\n\tpunpcklqdq %%xmm5, %%xmm4\n\tpunpckhqdq %%xmm5, %%xmm3\n\t"
            "movdqu %%xmm0, (%0)\n\tmovdqu %%xmm1, (%1)\n\tmovdqu %%xmm4, (%2)\n\tmovdqu %%xmm3, (%3)"
            :
            : "r"(to[0]), "r"(to[1]), "r"(to[2]), "r"(to[3]), "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
            : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "memory");
    }
    // Transposes two rows of two words.
    static void transpose_pair(uint8_t *to, uint8_t *to_next, const uint8_t *from, const uint8_t *from_next) {
        __asm__(
            "movdqu (%2), %%xmm0\n\tmovdqu (%3), %%xmm1\n\tmovdqa %%xmm0, %%xmm2\n\t"
            "punpcklqdq %%xmm1, %%xmm0\n\tpunpckhqdq %%xmm1, %%xmm2\n\t"
            "movdqu %%xmm0, (%0)\n\tmovdqu %%xmm2, (%1)"
            :
            : "r"(to), "r"(to_next), "r"(from), "r"(from_next)
            : "xmm0", "xmm1", "xmm2", "memory");
    }

    void put_one(uint8_t *to, const uint8_t *from) const {
        const size_t bytes = rows_ * entry_;
        size_t at = 0;
        for (; at + ROW <= bytes; at += ROW) copy_row(to + at, from + at);
        for (; at < bytes; at += 4) memcpy(to + at, from + at, 4);
    }
    void put_four(uint8_t *to, const uint8_t *const *chains) const {
        size_t row = 0;
        for (; row + 4 <= rows_; row += 4) {
            uint8_t *const rows[] = {to, to + stride_, to + 2 * stride_, to + 3 * stride_};
            const uint8_t *const words[] = {chains[0] + 4 * row, chains[1] + 4 * row, chains[2] + 4 * row,
                                            chains[3] + 4 * row};
            transpose(rows, words);
            to += 4 * stride_;
        }
        for (; row < rows_; row++, to += stride_)
            for (size_t i = 0; i < 4; i++) memcpy(to + 4 * i, chains[i] + 4 * row, 4);
    }
    void take_four(const uint8_t *from, uint8_t *const *chains) const {
        size_t row = 0;
        for (; row + 4 <= rows_; row += 4) {
            const uint8_t *const rows[] = {from, from + stride_, from + 2 * stride_, from + 3 * stride_};
            uint8_t *const words[] = {chains[0] + 4 * row, chains[1] + 4 * row, chains[2] + 4 * row,
                                      chains[3] + 4 * row};
            transpose(words, rows);
            from += 4 * stride_;
        }
        for (; row < rows_; row++, from += stride_)
            for (size_t i = 0; i < 4; i++) memcpy(chains[i] + 4 * row, from + 4 * i, 4);
    }
    void put_two(uint8_t *to, const uint8_t *a, const uint8_t *b) const {
        size_t row = 0;
        for (; row + 2 <= rows_; row += 2)
            transpose_pair(to + row * stride_, to + (row + 1) * stride_, a + 8 * row, b + 8 * row);
        if (row == rows_) return;
        memcpy(to + row * stride_, a + 8 * row, 8);
        memcpy(to + row * stride_ + 8, b + 8 * row, 8);
    }
    void take_two(const uint8_t *from, uint8_t *const *to) const {
        size_t row = 0;
        for (; row + 2 <= rows_; row += 2)
            transpose_pair(to[0] + 8 * row, to[1] + 8 * row, from + row * stride_, from + (row + 1) * stride_);
        if (row == rows_) return;
        memcpy(to[0] + 8 * row, from + row * stride_, 8);
        memcpy(to[1] + 8 * row, from + row * stride_ + 8, 8);
    }

    const LanePlace *const places_;
    uint8_t *const state_;
    const size_t rows_, stride_, entry_;
    const bool together_;
    const size_t at_once_;
};

template <uint32_t rows>
inline void copy_key_rows(uint8_t *to, size_t stride, const uint8_t *from) {
#pragma GCC unroll 16
    for (uint32_t i = 0; i < rows; i++) copy_row(to + i * stride, from + i * 16);
}

// The usual numbers of rows are unrolled.
inline void copy_key_rows(uint8_t *to, size_t stride, const uint8_t *from, uint32_t rows) {
    switch (rows) {
        case 11: return copy_key_rows<11>(to, stride, from);
        case 13: return copy_key_rows<13>(to, stride, from);
        case 15: return copy_key_rows<15>(to, stride, from);
        default:
            for (uint32_t i = 0; i < rows; i++) copy_row(to + i * stride, from + i * 16);
    }
}

// Writes the keys of a part of a kernel, for a series of calls: a lane that keeps its key is not written again.
class LaneKeys {
public:
    LaneKeys(const Part &part, uint8_t *state) : part_(part), state_(state) {
        for (size_t i = 0; i < part.lanes.size(); i++) has_[i] = nullptr;
    }
    // Writes one key for all lanes.
    void share(const uint8_t *rows) const {
        for (uint32_t copy : part_.key_copies)
            copy_key_rows(state_ + copy, part_.key_row_bytes, part_.key_rows_in(rows), part_.key_rows);
    }
    void put(uint32_t lane, const uint8_t *rows) {
        const uint32_t place = part_.lanes[lane].key;
        if (place == NO_FIELD || has_[lane] == rows) return;
        copy_key_rows(state_ + place, part_.key_row_bytes, part_.key_rows_in(rows), part_.key_rows);
        has_[lane] = rows;
    }

private:
    const Part &part_;
    uint8_t *const state_;
    const uint8_t *has_[MAX_LANES];
};

// The lanes of a cipher kernel, for a step (lanes.hpp).
class TextLanes {
public:
    uint64_t left[MAX_LANES];

    void advance(uint32_t lane, uint64_t iterations) {
        if (!left[lane]) return;
        point(lane, in_[lane] += iterations << log2_, out_[lane] += iterations << log2_);
    }
    uint64_t most_idle(uint64_t iterations) const {
        memory_->idle_used = IDLE_OUT_BYTES;
        return std::min<uint64_t>(iterations, IDLE_OUT_BYTES >> log2_);
    }
    void idle(uint32_t lane, uint32_t model) const { point(lane, in_[model], memory_->idle_out); }

protected:
    TextLanes(const Variant &v, LaneMemory *memory)
        : places_(v.cipher.lanes.data()),
          memory_(memory),
          state_(memory->state),
          step_(v.step),
          log2_(v.step_log2),
          keys_(v.cipher, state_) {}

    void point(uint32_t lane, const uint8_t *in, const uint8_t *out) const {
        put_pointer(state_ + places_[lane].in, in);
        put_pointer(state_ + places_[lane].out, out);
    }

    const LanePlace *const places_;
    LaneMemory *const memory_;
    uint8_t *const state_;
    const uint64_t step_;
    const uint32_t log2_;
    LaneKeys keys_;
    const uint8_t *in_[MAX_LANES];
    uint8_t *out_[MAX_LANES];
};

// The lanes of a hash kernel, for a step.
class HashLanes {
public:
    uint64_t left[MAX_LANES];

    void advance(uint32_t lane, uint64_t iterations) {
        if (left[lane]) point(lane, in_[lane] += iterations << log2_);
    }
    uint64_t most_idle(uint64_t iterations) const { return iterations; }
    void idle(uint32_t lane, uint32_t model) const { point(lane, in_[model]); }

protected:
    // Layout of a lane's bounce buffer: a chaining value, then, at READ, what the kernel reads.
    static constexpr size_t READ = MOST_CHAIN;

    HashLanes(const AlgorithmRecord &hash, const Variant &v, LaneMemory *memory)
        : hash_(hash),
          places_(v.hash.lanes.data()),
          memory_(memory),
          state_(memory->state),
          log2_(v.step_log2),
          chains_(v.hash, state_) {}

    void point(uint32_t lane, const uint8_t *in) const { put_pointer(state_ + places_[lane].in, in); }
    bool begin(uint32_t lane, const uint8_t *in, uint64_t bytes) {
        left[lane] = bytes >> log2_;
        point(lane, in_[lane] = in);
        return true;
    }
    uint8_t *scratch(uint32_t lane) const { return memory_->scratch + lane * SCRATCH_PITCH; }
    // Copies the lanes' chaining values to their bounce buffers, whose use is noted already.
    void take(const uint32_t *lanes, size_t n) const {
        chains_.take(lanes, n, [&](size_t i) { return scratch(lanes[i]); });
    }
    // RFC 2104: begins the outer hash of the digest from the key's outer chaining value, outer(i). The input is
    // assembled where the end of the message was.
    template <typename Outer>
    void begin_outer(const uint32_t *lanes, size_t n, Outer outer) {
        take(lanes, n);
        for (size_t i = 0; i < n; i++) {
            uint8_t *const to = scratch(lanes[i]) + READ;
            hash_digest(hash_, scratch(lanes[i]), to, hash_.digest_bytes);
            begin(lanes[i], to, hash_pad(hash_, to, hash_.digest_bytes, hash_.block_bytes + hash_.digest_bytes));
        }
        chains_.put(lanes, n, outer);
    }

    const AlgorithmRecord &hash_;
    const LanePlace *const places_;
    LaneMemory *const memory_;
    uint8_t *const state_;
    const uint32_t log2_;
    const Chains chains_;
    const uint8_t *in_[MAX_LANES];
};

}  // namespace cst
