// How the parts of a GCM message are put together in `blocks` (SP 800-38D, 7.1).
#pragma once

#include <cstring>

#include "copy.hpp"
#include "gcm.hpp"

namespace cst {

constexpr size_t GCM_BLOCK = 16;
// Where text begins in `blocks`: behind the AAD, with zeros in front of that; or behind the block of the tag.
constexpr size_t GCM_TEXT = 256, GCM_SHORT_AAD = GCM_TEXT - GCM_BLOCK;
static_assert(GCM_TEXT + GCM_SHORT_TEXT + 2 * GCM_BLOCK <= JOIN_BLOCKS * MOST_BLOCK, "text and lengths fit, and what the cipher's last iteration writes");

constexpr uint64_t whole_blocks(uint64_t bytes) { return (bytes + GCM_BLOCK - 1) & ~uint64_t(GCM_BLOCK - 1); }

inline bool gcm_short(const cst_job &job) { return job.in_len <= GCM_SHORT_TEXT && job.aad_len <= GCM_SHORT_AAD; }

// Counter blocks for an IV of the usual length: the first, which is for the tag (7.1, step 2), and the one where the text begins.
inline void put_counter(uint8_t *to, const void *iv, uint8_t number) {
    const uint8_t *from = static_cast<const uint8_t *>(iv);
    put_words(to, load64(from), load64(from + 4) >> 32 | uint64_t(number) << 56);
}
inline void put_first_counter(uint8_t *to, const void *iv) { put_counter(to, iv, 1); }
inline void put_second_counter(uint8_t *to, const void *iv) { put_counter(to, iv, 2); }
// So many blocks farther (6.2).
inline void count_on(uint8_t *counter, uint32_t blocks) {
    const uint64_t high = load64(counter + 8), count = __builtin_bswap32(__builtin_bswap32(uint32_t(high >> 32)) + blocks);
    put_words(counter, load64(counter), count << 32 | (high & UINT32_MAX));
}

// to = from + stream.
inline void add_blocks(uint8_t *to, const uint8_t *from, const uint8_t *stream, size_t bytes) {
    size_t i = 0;
    for (; i + GCM_BLOCK <= bytes; i += GCM_BLOCK) {
        TwoWords a, b;
        memcpy(&a, from + i, GCM_BLOCK);
        memcpy(&b, stream + i, GCM_BLOCK);
        a ^= b;
        memcpy(to + i, &a, GCM_BLOCK);
    }
    for (; i < bytes; i++) to[i] = from[i] ^ stream[i];
}

// Pads what ends at `end` of `blocks` and appends two lengths (in bytes). Returns the end.
inline size_t put_lengths(uint8_t *blocks, size_t end, uint64_t first, uint64_t second) {
    const size_t padded = whole_blocks(end);
    const uint64_t bits[2] = {__builtin_bswap64(8 * first), __builtin_bswap64(8 * second)};
    memset(blocks + end, 0, padded - end);
    memcpy(blocks + padded, bits, sizeof(bits));
    return padded + GCM_BLOCK;
}

}  // namespace cst
