#include "padding.hpp"

#include <cstring>

namespace cst {

size_t hash_pad(const AlgorithmRecord &hash, uint8_t *block, size_t used, uint64_t message_bytes) {
    const size_t unit = hash.block_bytes, length = hash.length_bytes;
    const size_t total = (used + 1 + length + unit - 1) / unit * unit;
    block[used] = 0x80;
    memset(block + used + 1, 0, total - used - 1);
    const bool big = hash.flags & ALGORITHM_BIG_ENDIAN;
    const uint64_t bits = message_bytes << 3, high = message_bytes >> 61;
    for (size_t i = 0; i < length; i++) {  // i: significance of the byte
        uint8_t byte = uint8_t(i < 8 ? bits >> (8 * i) : i < 16 ? high >> (8 * (i - 8)) : 0);
        block[big ? total - 1 - i : total - length + i] = byte;
    }
    return total;
}

void hash_initial(const AlgorithmRecord &hash, uint8_t *chain) {
    for (uint32_t i = 0; i < hash.words; i++) memcpy(chain + i * hash.word_bytes, &hash.initial[i], hash.word_bytes);
}

void hash_digest(const AlgorithmRecord &hash, const uint8_t *chain, uint8_t *digest) {
    const uint32_t last = hash.word_bytes - 1;
    const uint32_t flip = hash.flags & ALGORITHM_BIG_ENDIAN ? last : 0;  // chain words are little-endian in memory
    for (uint32_t i = 0; i < hash.digest_bytes; i++) digest[i] = chain[i ^ flip];
}

}  // namespace cst
