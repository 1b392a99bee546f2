#include "padding.hpp"

#include <cstring>

namespace cst {
namespace {

void put_word(uint8_t *at, uint64_t word) { memcpy(at, &word, sizeof(word)); }

}  // namespace

size_t hash_pad(const AlgorithmRecord &hash, uint8_t *block, size_t used, uint64_t message_bytes) {
    const size_t unit = hash.block_bytes, length = hash.length_bytes;  // a power of two; 8 or 16
    const size_t total = (used + 1 + length + unit - 1) & ~(unit - 1);
    block[used] = 0x80;
    for (size_t at = used + 1; at < total; at += PAD_SLACK) memset(block + at, 0, PAD_SLACK);
    const uint64_t bits = message_bytes << 3, high = message_bytes >> 61;
    if (hash.flags & ALGORITHM_BIG_ENDIAN) {
        put_word(block + total - 8, __builtin_bswap64(bits));
        if (length > 8) put_word(block + total - 16, __builtin_bswap64(high));
    } else {
        put_word(block + total - length, bits);
        if (length > 8) put_word(block + total - 8, high);
    }
    return total;
}

void hash_initial(const AlgorithmRecord &hash, uint8_t *chain) {
    for (uint32_t i = 0; i < hash.words; i++) memcpy(chain + i * hash.word_bytes, &hash.initial[i], hash.word_bytes);
}

}  // namespace cst
