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

}  // namespace cst
