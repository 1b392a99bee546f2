#include "aes.hpp"

#include <immintrin.h>

#include <cstring>

#include "secret.hpp"

namespace cst {
namespace {

// aeskeygenassist works on words 1 and 3; element 0 of its result is SubWord(word 1), element 1 is RotWord of that.
__attribute__((target("aes,sse4.1"))) uint32_t sub_word(uint32_t word) {
    return uint32_t(_mm_cvtsi128_si32(_mm_aeskeygenassist_si128(_mm_set_epi32(0, 0, int(word), 0), 0)));
}

uint32_t rot_word(uint32_t word) { return word >> 8 | word << 24; }  // words are little-endian in memory

}  // namespace

__attribute__((target("aes,sse4.1"))) void aes_expand(const uint8_t *key, uint32_t key_bytes, uint8_t (*round_keys)[16]) {
    const uint32_t nk = key_bytes / 4, words = 4 * (nk + 7);
    uint32_t w[4 * (AES_MOST_ROUNDS + 1)];
    memcpy(w, key, key_bytes);
    uint32_t rcon = 1;
    for (uint32_t i = nk; i < words; i++) {
        uint32_t t = w[i - 1];
        if (i % nk == 0) {
            t = sub_word(rot_word(t)) ^ rcon;
            rcon = rcon << 1 ^ (rcon >> 7) * 0x11b;
        } else if (nk > 6 && i % nk == 4) {
            t = sub_word(t);
        }
        w[i] = w[i - nk] ^ t;
    }
    memcpy(round_keys, w, words * 4);
    wipe(w, sizeof(w));
}

__attribute__((target("aes"))) void aes_invert(const uint8_t (*round_keys)[16], uint32_t rounds, uint8_t (*inverse)[16]) {
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

template <uint32_t rounds>
__attribute__((target("aes"))) void encrypt_chain(const uint8_t (*round_keys)[16], uint8_t *chain, const uint8_t *in, uint8_t *out, size_t n) {
    const __m128i *keys = reinterpret_cast<const __m128i *>(round_keys);
    __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i *>(chain));
    for (; n; n--, in += 16, out += 16) {
        __asm__("" : "+r"(keys));  // they are loaded again: there are registers for most of them only, and the others would go on the stack
        x = _mm_xor_si128(x, _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i *>(in)), _mm_loadu_si128(keys)));
#pragma GCC unroll 16
        for (uint32_t i = 1; i < rounds; i++) x = _mm_aesenc_si128(x, _mm_loadu_si128(keys + i));
        x = _mm_aesenclast_si128(x, _mm_loadu_si128(keys + rounds));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(out), x);
    }
    _mm_storeu_si128(reinterpret_cast<__m128i *>(chain), x);
}

}  // namespace

void aes_cbc_encrypt(const uint8_t (*round_keys)[16], uint32_t rounds, uint8_t *chain, const uint8_t *in, uint8_t *out, size_t n) {
    switch (rounds) {
        case 10: return encrypt_chain<10>(round_keys, chain, in, out, n);
        case 12: return encrypt_chain<12>(round_keys, chain, in, out, n);
        default: return encrypt_chain<AES_MOST_ROUNDS>(round_keys, chain, in, out, n);
    }
}

void aes_encrypt(const uint8_t (*round_keys)[16], uint32_t rounds, const uint8_t *in, uint8_t *out) {
    switch (rounds) {
        case 10: return encrypt<10>(round_keys, in, out);
        case 12: return encrypt<12>(round_keys, in, out);
        default: return encrypt<AES_MOST_ROUNDS>(round_keys, in, out);
    }
}

namespace {

// As many blocks side by side as one core encrypts while the first waits for itself.
constexpr size_t SIDE_BY_SIDE = 8;

// The number in `count` is that of the first block.
template <size_t n>
__attribute__((target("aes,ssse3"))) void encrypt_counters(const __m128i *keys, uint32_t rounds, __m128i count, __m128i *out) {
    const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m128i x[n];
#pragma GCC unroll 8
    for (size_t b = 0; b < n; b++)
        x[b] = _mm_xor_si128(_mm_shuffle_epi8(_mm_add_epi32(count, _mm_set_epi32(int(b), 0, 0, 0)), swap), _mm_loadu_si128(keys));
    for (uint32_t i = 1; i < rounds; i++) {
        const __m128i key = _mm_loadu_si128(keys + i);
#pragma GCC unroll 8
        for (size_t b = 0; b < n; b++) x[b] = _mm_aesenc_si128(x[b], key);
    }
#pragma GCC unroll 8
    for (size_t b = 0; b < n; b++) _mm_storeu_si128(out + b, _mm_aesenclast_si128(x[b], _mm_loadu_si128(keys + rounds)));
}

}  // namespace

__attribute__((target("aes,ssse3"))) void aes_counter_blocks(const uint8_t (*round_keys)[16], uint32_t rounds, const uint8_t *counter, size_t n,
                                                             uint8_t (*out)[16]) {
    const __m128i *const keys = reinterpret_cast<const __m128i *>(round_keys);
    const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m128i count = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i *>(counter)), swap);
    __m128i *to = reinterpret_cast<__m128i *>(out);
    for (; n >= SIDE_BY_SIDE; n -= SIDE_BY_SIDE, to += SIDE_BY_SIDE) {
        encrypt_counters<SIDE_BY_SIDE>(keys, rounds, count, to);
        count = _mm_add_epi32(count, _mm_set_epi32(SIDE_BY_SIDE, 0, 0, 0));
    }
    switch (n) {
        case 1: return encrypt_counters<1>(keys, rounds, count, to);
        case 2: return encrypt_counters<2>(keys, rounds, count, to);
        case 3: return encrypt_counters<3>(keys, rounds, count, to);
        case 4: return encrypt_counters<4>(keys, rounds, count, to);
        case 5: return encrypt_counters<5>(keys, rounds, count, to);
        case 6: return encrypt_counters<6>(keys, rounds, count, to);
        case 7: return encrypt_counters<7>(keys, rounds, count, to);
        default: return;
    }
}

}  // namespace cst
