// Assembles the end of a hashed message without a branch that depends on its length: consecutive ends have different
// lengths, and a mispredicted branch takes as long as hashing sixteen bytes.
#pragma once

#include "../executors/message.hpp"

namespace cst {

// Masks for n bytes of a message, from offset WHOLE_MESSAGE - n on: the bytes are and'ed with `keep`, then or'ed with
// `mark`.
struct HashEndMasks {
    uint8_t keep[2 * WHOLE_MESSAGE] = {}, mark[2 * WHOLE_MESSAGE] = {};

    constexpr HashEndMasks() {
        for (size_t i = 0; i < WHOLE_MESSAGE; i++) keep[i] = 0xff;
        mark[WHOLE_MESSAGE] = 0x80;
    }
};
inline constexpr HashEndMasks HASH_END_MASKS;

// Returns the length to which hash_pad extends `used` bytes.
inline size_t hash_end_bytes(const AlgorithmRecord &hash, size_t used) {
    const size_t unit = hash.block_bytes;
    return (used + hash.length_bytes + unit) & ~(unit - 1);
}
// Pads a message end of `used` bytes into `to`, at most WHOLE_MESSAGE bytes. It reads as many bytes at `from` as it
// writes, but those after `used` do not count. Returns the number of bytes written. bytes: length of the whole message.
inline size_t hash_end(const AlgorithmRecord &hash, uint8_t *to, const uint8_t *from, size_t used, uint64_t bytes) {
    typedef uint64_t Row __attribute__((vector_size(16)));
    const uint8_t *const keeps = HASH_END_MASKS.keep + WHOLE_MESSAGE - used;
    const uint8_t *const marks = HASH_END_MASKS.mark + WHOLE_MESSAGE - used;
    const auto row_at = [=](size_t at) {
        Row row, keep, mark;
        memcpy(&row, from + at, sizeof(row));
        memcpy(&keep, keeps + at, sizeof(keep));
        memcpy(&mark, marks + at, sizeof(mark));
        return (row & keep) | mark;
    };
    const auto put = [=](size_t at, Row row) { memcpy(to + at, &row, sizeof(row)); };
    const uint64_t bits = bytes << 3, count = hash.flags & ALGORITHM_BIG_ENDIAN ? __builtin_bswap64(bits) : bits;
    const size_t all = hash_end_bytes(hash, used), last = all - sizeof(Row);
    for (size_t at = 0; at < last; at += sizeof(Row)) put(at, row_at(at));
    put(last, row_at(last) | Row{0, count});
    return all;
}

// Returns the last n % 16 of the n bytes at `from`, which are not a multiple, then 0x80, then zeros.
inline TwoWords hash_end_row(const uint8_t *from, size_t n) {
    const unsigned used = n & 15, shift = -8 * used & 63;
    uint64_t low, high = 0;
    if (n >= 8 && used >= 8) {
        low = load64(from + n - used);
        high = load64(from + n - 8) >> 1 >> ((-8 * used - 1) & 63);
    } else if (n >= 8) {
        low = load64(from + n - 8) >> shift;
    } else if (n >= 4) {
        low = load32(from) | uint64_t(load32(from + n - 4)) << 8 * (n - 4);
    } else {
        low = from[0] | uint64_t(from[n / 2]) << 8 * (n / 2) | uint64_t(from[n - 1]) << 8 * (n - 1);
    }
    const uint64_t mark = uint64_t(0x80) << 8 * (used & 7);
    return used < 8 ? TwoWords{low | mark, 0} : TwoWords{low, high | mark};
}
// Does as hash_end, but reads no byte behind those that are used, and branches on their number. It stores whole rows of
// 16 bytes, as kernels of one lane load them: a processor does not forward several stores to one load.
inline size_t hash_end_exactly(const AlgorithmRecord &hash, uint8_t *to, const uint8_t *from, size_t used,
                               uint64_t bytes) {
    const uint64_t bits = bytes << 3, count = hash.flags & ALGORITHM_BIG_ENDIAN ? __builtin_bswap64(bits) : bits;
    const size_t all = hash_end_bytes(hash, used), whole = used & ~size_t(15), last = all - sizeof(TwoWords);
    const auto put = [to](size_t at, TwoWords row) { memcpy(to + at, &row, sizeof(row)); };
    size_t at = 0;
    for (; at < whole; at += sizeof(TwoWords)) memcpy(to + at, from + at, sizeof(TwoWords));
    TwoWords row = at == used ? TwoWords{0x80, 0} : hash_end_row(from, used);
    for (; at < last; at += sizeof(TwoWords)) {
        put(at, row);
        row = TwoWords{0, 0};
    }
    put(last, row | TwoWords{0, count});
    return all;
}

}  // namespace cst
