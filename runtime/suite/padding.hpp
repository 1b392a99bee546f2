// Writes the end of a hashed message, and converts words to bytes, as the algorithm record says.
#pragma once

#include <emmintrin.h>

#include <cstring>

#include "../select/variant.hpp"

namespace cst {

constexpr size_t MOST_BLOCK = 128;  // bytes in a block of any hash

// `block` holds the last `used` bytes of a message of `message_bytes` bytes, starting at a block boundary. Appends
// 0x80, zeros and the length; returns the number of bytes, a multiple of the block. Room for used + 1 + length bytes,
// rounded up, and PAD_SLACK bytes more is needed.
constexpr size_t PAD_SLACK = 16;
inline size_t hash_pad(const AlgorithmRecord &hash, uint8_t *block, size_t used, uint64_t message_bytes) {
    const size_t unit = hash.block_bytes, length = hash.length_bytes;  // a power of two; 8 or 16
    const size_t total = (used + 1 + length + unit - 1) & ~(unit - 1), last = total - 16;
    const bool big_endian = hash.flags & ALGORITHM_BIG_ENDIAN;
    const uint64_t bits = message_bytes << 3,
                   count = big_endian ? __builtin_bswap64(bits) : bits;  // lengths in memory fit into 64 bits
    // Stores whole rows of 16 bytes: kernels load whole rows, and a processor does not forward several stores to one
    // load.
    const auto put_row = [block](size_t at, uint64_t low_half, uint64_t high_half) {
        _mm_storeu_si128(reinterpret_cast<__m128i *>(block + at),
                         _mm_set_epi64x(int64_t(high_half), int64_t(low_half)));
    };
    size_t at = used & ~size_t(15);
    if (at == used) {
        put_row(at, 0x80, 0);
    } else {
        block[used] = 0x80;
        memset(block + used + 1, 0, PAD_SLACK);
    }
    if (at == last) {
        memcpy(block + total - 8, &count, sizeof(count));
        return total;
    }
    while ((at += 16) < last) put_row(at, 0, 0);
    put_row(last, 0, count);
    return total;
}

// Pads the last block of a text, which has `used` bytes of it, less than all (PKCS#7; RFC 5652, 6.3).
inline void pkcs7_fill(uint8_t *block, size_t used) { memset(block + used, int(16 - used), 16 - used); }

// Writes the initial chaining value: `words` words in host order, one after the other, in 64 bytes.
inline void hash_initial(const AlgorithmRecord &hash, uint8_t *chain) {
    for (uint32_t i = 0; i < hash.words; i++) memcpy(chain + i * hash.word_bytes, &hash.initial[i], hash.word_bytes);
}
// Reverses the bytes of each of four words.
inline __m128i swap_words(__m128i words) {
    words = _mm_or_si128(_mm_slli_epi16(words, 8), _mm_srli_epi16(words, 8));
    return _mm_shufflehi_epi16(_mm_shufflelo_epi16(words, 0xb1), 0xb1);
}
// Writes the first n bytes of the hash's result, at most DIGEST_ROOM.
constexpr size_t DIGEST_ROOM = 64;
template <bool swaps, bool halves>  // halves: words of 32 bits
inline void digest_words(const uint8_t *chain, uint8_t *to, size_t n) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i words = _mm_loadu_si128(reinterpret_cast<const __m128i *>(chain + i));
        if (swaps && !halves) words = _mm_shuffle_epi32(words, 0xb1);  // a word of 64 bits has its high half first
        if (swaps) words = swap_words(words);
        _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i), words);
    }
    for (; i < n; i += 4) {
        uint32_t word;
        memcpy(&word, chain + (swaps && !halves ? i ^ 4 : i), sizeof(word));
        if (swaps) word = __builtin_bswap32(word);
        if (n - i >= 4) {
            memcpy(to + i, &word, 4);
        } else {
            for (size_t j = i; j < n; j++, word >>= 8) to[j] = uint8_t(word);
        }
    }
}
inline void hash_digest(const AlgorithmRecord &hash, const uint8_t *chain, uint8_t *to, size_t n) {
    if (!(hash.flags & ALGORITHM_BIG_ENDIAN)) return digest_words<false, false>(chain, to, n);
    if (hash.word_bytes != 4) return digest_words<true, false>(chain, to, n);
    if (n == 20) return digest_words<true, true>(chain, to, 20);  // SHA-1, whole
    digest_words<true, true>(chain, to, n);
}

}  // namespace cst
