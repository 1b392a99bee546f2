#include "padding.hpp"

#include <cstring>

namespace cst {

void hash_initial(const AlgorithmRecord &hash, uint8_t *chain) {
    for (uint32_t i = 0; i < hash.words; i++) memcpy(chain + i * hash.word_bytes, &hash.initial[i], hash.word_bytes);
}

// By whole rows of 16 bytes: kernels load them so at once, and a processor does not forward several stores to one load.
void pad_rows(bool big_endian, uint8_t *block, size_t used, size_t total, uint64_t message_bytes) {
    const auto put_row = [block](size_t at, uint64_t first, uint64_t second) {
        _mm_storeu_si128(reinterpret_cast<__m128i *>(block + at), _mm_set_epi64x(int64_t(second), int64_t(first)));
    };
    const uint64_t low = message_bytes << 3, high = message_bytes >> 61;
    size_t at = used & ~size_t(15);
    block[used] = 0x80;
    if (at == used) put_row(at, 0x80, 0);
    else memset(block + used + 1, 0, PAD_SLACK);
    while ((at += 16) < total - 16) put_row(at, 0, 0);
    put_row(at, big_endian ? __builtin_bswap64(high) : low, big_endian ? __builtin_bswap64(low) : high);
}

}  // namespace cst
