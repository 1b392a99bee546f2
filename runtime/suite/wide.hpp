// AES by vectors of four blocks, from a key and without a kernel: what gcm_wide.cpp and aes_wide.cpp share.
#pragma once

#include "aes.hpp"
#include "intrinsics.hpp"
#include "key.hpp"

namespace cst::wide {

#define WIDE __attribute__((target("aes,avx512f,avx512bw,avx512vl,vaes,vpclmulqdq,bmi2")))
#define WIDE_INLINED __attribute__((target("aes,avx512f,avx512bw,avx512vl,vaes,vpclmulqdq,bmi2"), always_inline))
#define WIDE_INLINE WIDE_INLINED inline

constexpr size_t BLOCK = 16, VECTOR = 64, BLOCKS = VECTOR / BLOCK;
// So many vectors of text go side by side: enough to hide the latency of a round.
constexpr size_t TEAM = 4, STRIDE = TEAM * VECTOR;

WIDE_INLINE __mmask64 first_bytes(size_t n) { return _bzhi_u64(~uint64_t(0), uint32_t(n)); }
WIDE_INLINE __m512i round_key(const uint8_t (*keys)[16], uint32_t round) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i *>(keys[round])));
}

// Calls each(key) for the rounds between the first key and the last: 9, 11 or 13.
template <typename Each>
WIDE_INLINE void middle_rounds(const uint8_t (*keys)[16], uint32_t rounds, Each each) {
#pragma GCC unroll 16
    for (uint32_t r = 1; r < AES_LEAST_ROUNDS; r++) each(round_key(keys, r));
    if (rounds > AES_LEAST_ROUNDS) {
        each(round_key(keys, 10));
        each(round_key(keys, 11));
    }
    if (rounds > 12) {
        each(round_key(keys, 12));
        each(round_key(keys, 13));
    }
}

// Counter mode; the last 32 bits count (SP 800-38D, 6.2).
struct Counter {
    const uint8_t (*const keys)[16];
    const uint32_t rounds;
    __m512i count;  // of the next four blocks; the last 32 bits are a number

    WIDE_INLINE explicit Counter(const Key &key) : keys(key.encrypt()), rounds(key.suite->encrypt->record.rounds) {}

    WIDE_INLINE static __m512i swap() {
        return _mm512_broadcast_i32x4(_mm_set_epi8(12, 13, 14, 15, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
    }
    // first: its last 32 bits are a number too.
    WIDE_INLINE void begin(__m128i first) {
        count = _mm512_add_epi32(_mm512_broadcast_i32x4(first),
                                 _mm512_set_epi32(3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0));
    }
    WIDE_INLINE __m512i last_key() const { return round_key(keys, rounds); }
    // So many vectors of key stream, but for the last round. with: a block that goes through the rounds with them;
    // NULL: none.
    template <size_t vectors>
    WIDE_INLINE void run(__m512i *x, __m128i *with = nullptr) {
        const __m512i first = round_key(keys, 0);
#pragma GCC unroll 8
        for (size_t v = 0; v < vectors; v++) {
            x[v] = _mm512_xor_si512(_mm512_shuffle_epi8(count, swap()), first);
            count = _mm512_add_epi32(count, _mm512_broadcast_i32x4(_mm_set_epi32(BLOCKS, 0, 0, 0)));
        }
        if (with) *with = _mm_xor_si128(*with, _mm512_castsi512_si128(first));
        middle_rounds(keys, rounds, [&](__m512i k) WIDE {
            if (with) *with = _mm_aesenc_si128(*with, _mm512_castsi512_si128(k));
#pragma GCC unroll 8
            for (size_t v = 0; v < vectors; v++) x[v] = _mm512_aesenc_epi128(x[v], k);
        });
        if (with) *with = _mm_aesenclast_si128(*with, _mm512_castsi512_si128(last_key()));
    }
};

}  // namespace cst::wide
