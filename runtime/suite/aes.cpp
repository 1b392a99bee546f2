#include "aes.hpp"

#include <immintrin.h>

#include <cstring>

namespace cst {
namespace {

#define SCHEDULE __attribute__((target("aes,ssse3"), always_inline)) inline

constexpr int RCON[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36};

// Applies SubWord to word `last` in every column. All columns are equal, so ShiftRows changes nothing.
SCHEDULE __m128i sub_word(__m128i words, int last) {
    const int word = 0x03020100 + 0x04040404 * last;
    return _mm_aesenclast_si128(_mm_shuffle_epi8(words, _mm_set1_epi32(word)), _mm_setzero_si128());
}
// Applies RotWord, then SubWord, likewise.
SCHEDULE __m128i sub_rot_word(__m128i words, int last, int rcon) {
    const int word = 0x00030201 + 0x04040404 * last;
    return _mm_aesenclast_si128(_mm_shuffle_epi8(words, _mm_set1_epi32(word)), _mm_set1_epi32(rcon));
}
// Sets each word to the sum of the words up to it and of `first`.
SCHEDULE __m128i sums(__m128i words, __m128i first) {
    words = _mm_xor_si128(words, _mm_slli_si128(words, 4));
    words = _mm_xor_si128(words, _mm_slli_si128(words, 8));
    return _mm_xor_si128(words, first);
}
SCHEDULE __m128i load_words(const uint8_t *from) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from)); }
SCHEDULE void store_words(uint8_t *to, __m128i words) { _mm_storeu_si128(reinterpret_cast<__m128i *>(to), words); }
SCHEDULE void store_two_words(uint8_t *to, __m128i words) { _mm_storel_epi64(reinterpret_cast<__m128i *>(to), words); }

__attribute__((target("aes,ssse3"))) void expand_128(const uint8_t *key, uint8_t (*round_keys)[16]) {
    __m128i words = load_words(key);
    store_words(round_keys[0], words);
#pragma GCC unroll 16
    for (uint32_t i = 0; i < 10; i++) {
        words = sums(words, sub_rot_word(words, 3, RCON[i]));
        store_words(round_keys[i + 1], words);
    }
}

// Makes six words at a time; the last two are in `rest`.
__attribute__((target("aes,ssse3"))) void expand_192(const uint8_t *key, uint8_t (*round_keys)[16]) {
    __m128i words = load_words(key), rest = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(key + 16));
    uint8_t *to = round_keys[0];
    store_words(to, words);
    store_two_words(to + 16, rest);
#pragma GCC unroll 16
    for (uint32_t i = 0; i < 8; i++) {
        words = sums(words, sub_rot_word(rest, 1, RCON[i]));
        store_words(to += 24, words);
        if (i == 7) return;
        rest = _mm_xor_si128(_mm_xor_si128(rest, _mm_slli_si128(rest, 4)), _mm_shuffle_epi32(words, 0xff));
        store_two_words(to + 16, rest);
    }
}

__attribute__((target("aes,ssse3"))) void expand_256(const uint8_t *key, uint8_t (*round_keys)[16]) {
    __m128i even = load_words(key), odd = load_words(key + 16);
    store_words(round_keys[0], even);
    store_words(round_keys[1], odd);
#pragma GCC unroll 16
    for (uint32_t i = 0; i < 7; i++) {
        even = sums(even, sub_rot_word(odd, 3, RCON[i]));
        store_words(round_keys[2 * i + 2], even);
        if (i == 6) return;
        odd = sums(odd, sub_word(even, 3));
        store_words(round_keys[2 * i + 3], odd);
    }
}

}  // namespace

void aes_expand(const uint8_t *key, uint32_t key_bytes, uint8_t (*round_keys)[16]) {
    switch (key_bytes) {
        case 16: return expand_128(key, round_keys);
        case 24: return expand_192(key, round_keys);
        default: return expand_256(key, round_keys);
    }
}

__attribute__((target("aes"))) void aes_invert(const uint8_t (*round_keys)[16], uint32_t rounds,
                                               uint8_t (*inverse)[16]) {
    memcpy(inverse[0], round_keys[rounds], 16);
    for (uint32_t i = 1; i < rounds; i++) {
        __m128i k = _mm_loadu_si128(reinterpret_cast<const __m128i *>(round_keys[rounds - i]));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(inverse[i]), _mm_aesimc_si128(k));
    }
    memcpy(inverse[rounds], round_keys[0], 16);
}

namespace {

template <uint32_t rounds>
__attribute__((target("aes"))) void encrypt(const uint8_t (*round_keys)[16], const uint8_t *in, uint8_t *out) {
    const __m128i *keys = reinterpret_cast<const __m128i *>(round_keys);
    __m128i x = _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i *>(in)), _mm_loadu_si128(keys));
#pragma GCC unroll 16
    for (uint32_t i = 1; i < rounds; i++) x = _mm_aesenc_si128(x, _mm_loadu_si128(keys + i));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(out), _mm_aesenclast_si128(x, _mm_loadu_si128(keys + rounds)));
}

}  // namespace

void aes_encrypt(const uint8_t (*round_keys)[16], uint32_t rounds, const uint8_t *in, uint8_t *out) {
    switch (rounds) {
        case 10: return encrypt<10>(round_keys, in, out);
        case 12: return encrypt<12>(round_keys, in, out);
        default: return encrypt<AES_MOST_ROUNDS>(round_keys, in, out);
    }
}

}  // namespace cst
