#include "aes_wide.hpp"

#include <algorithm>

#include "wide.hpp"

namespace cst {
namespace {

using namespace wide;

// A stride, or so many vectors of its beginning of which the last may have fewer bytes.
template <size_t vectors>
WIDE_INLINE void count(Counter *cipher, const uint8_t *in, uint8_t *out, size_t bytes) {
    __m512i x[vectors];
    cipher->run<vectors>(x);
    const __m512i last = cipher->last_key();
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; v++) {
        const size_t at = VECTOR * v;
        if (v + 1 < vectors || bytes == VECTOR * vectors) {
            _mm512_storeu_si512(out + at,
                                _mm512_aesenclast_epi128(x[v], _mm512_xor_si512(last, _mm512_loadu_si512(in + at))));
        } else {
            const __mmask64 there = first_bytes(bytes - at);
            _mm512_mask_storeu_epi8(
                out + at, there,
                _mm512_aesenclast_epi128(x[v], _mm512_xor_si512(last, _mm512_maskz_loadu_epi8(there, in + at))));
        }
    }
}

struct Chain {
    const uint8_t (*const keys)[16];
    const uint32_t rounds;
    __m512i before;  // its last block is the one before the text

    template <size_t vectors>
    WIDE_INLINE void open(const uint8_t *in, uint8_t *out, size_t bytes) {
        __m512i c[vectors], x[vectors];
        const __m512i first = round_key(keys, 0), last = round_key(keys, rounds);
        const bool whole = bytes == VECTOR * vectors;
        const __mmask64 there = first_bytes(bytes - VECTOR * (vectors - 1));
#pragma GCC unroll 8
        for (size_t v = 0; v < vectors; v++) {
            c[v] = v + 1 < vectors || whole ? _mm512_loadu_si512(in + VECTOR * v)
                                            : _mm512_maskz_loadu_epi8(there, in + VECTOR * v);
            x[v] = _mm512_xor_si512(c[v], first);
        }
        middle_rounds(keys, rounds, [&](__m512i k) WIDE {
#pragma GCC unroll 8
            for (size_t v = 0; v < vectors; v++) x[v] = _mm512_aesdec_epi128(x[v], k);
        });
#pragma GCC unroll 8
        for (size_t v = 0; v < vectors; v++) {
            // P = D(K, C) ^ the block before.
            x[v] = _mm512_aesdeclast_epi128(
                x[v], _mm512_xor_si512(last, _mm512_alignr_epi64(c[v], v ? c[v - 1] : before, 6)));
            if (v + 1 < vectors || whole) _mm512_storeu_si512(out + VECTOR * v, x[v]);
            else _mm512_mask_storeu_epi8(out + VECTOR * v, there, x[v]);
        }
        before = c[vectors - 1];
    }
};

template <bool open, size_t vectors>
WIDE_INLINE void each_block(const uint8_t (*keys)[16], uint32_t rounds, const uint8_t *in, uint8_t *out, size_t bytes) {
    __m512i x[vectors];
    const __m512i first = round_key(keys, 0), last = round_key(keys, rounds);
    const bool whole = bytes == VECTOR * vectors;
    const __mmask64 there = first_bytes(bytes - VECTOR * (vectors - 1));
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; v++)
        x[v] = _mm512_xor_si512(v + 1 < vectors || whole ? _mm512_loadu_si512(in + VECTOR * v)
                                                         : _mm512_maskz_loadu_epi8(there, in + VECTOR * v),
                                first);
    middle_rounds(keys, rounds, [&](__m512i k) WIDE {
#pragma GCC unroll 8
        for (size_t v = 0; v < vectors; v++)
            x[v] = open ? _mm512_aesdec_epi128(x[v], k) : _mm512_aesenc_epi128(x[v], k);
    });
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; v++) {
        x[v] = open ? _mm512_aesdeclast_epi128(x[v], last) : _mm512_aesenclast_epi128(x[v], last);
        if (v + 1 < vectors || whole) _mm512_storeu_si512(out + VECTOR * v, x[v]);
        else _mm512_mask_storeu_epi8(out + VECTOR * v, there, x[v]);
    }
}

// Calls each(size, at, bytes) for two strides at a time, for one, and then for the vectors that are left; size: of how
// many vectors.
template <typename Each>
WIDE_INLINE void strides(size_t bytes, Each each) {
    size_t at = 0;
    const auto take = [&](auto vectors) WIDE_INLINED {
        const size_t some = std::min(bytes - at, VECTOR * vectors);
        each(vectors, at, some);
        at += some;
    };
    while (bytes - at > 2 * STRIDE) take(std::integral_constant<size_t, 2 * TEAM>());
    while (bytes - at > STRIDE - VECTOR) take(std::integral_constant<size_t, TEAM>());
    if (bytes - at > 2 * VECTOR) take(std::integral_constant<size_t, 3>());
    else if (bytes - at > VECTOR) take(std::integral_constant<size_t, 2>());
    else if (bytes - at) take(std::integral_constant<size_t, 1>());
}

}  // namespace

WIDE void aes_counter_wide(cst_job *jobs, size_t n) {
    const __m128i swap = _mm512_castsi512_si128(wide::Counter::swap());
    for (cst_job *job = jobs; job < jobs + n; job++) {
        const uint8_t *const in = static_cast<const uint8_t *>(job->in);
        uint8_t *const out = static_cast<uint8_t *>(job->out);
        wide::Counter cipher(key_of(*job));
        cipher.begin(_mm_shuffle_epi8(_mm_loadu_si128(static_cast<const __m128i *>(job->iv)), swap));
        strides(job->in_len, [&](auto vectors, size_t at, size_t bytes)
                                 WIDE_INLINED { count<vectors>(&cipher, in + at, out + at, bytes); });
        text_done(job);
    }
}

WIDE void aes_cbc_open_wide(cst_job *jobs, size_t n) {
    for (cst_job *job = jobs; job < jobs + n; job++) {
        const uint8_t *const in = static_cast<const uint8_t *>(job->in);
        uint8_t *const out = static_cast<uint8_t *>(job->out);
        const Key &key = key_of(*job);
        Chain chain = {key.decrypt(), key.suite->decrypt->record.rounds,
                       _mm512_broadcast_i32x4(_mm_loadu_si128(static_cast<const __m128i *>(job->iv)))};
        strides(job->in_len, [&](auto vectors, size_t at, size_t bytes)
                                 WIDE_INLINED { chain.open<vectors>(in + at, out + at, bytes); });
        text_done(job);
    }
}

template <bool open>
WIDE void ecb(cst_job *jobs, size_t n) {
    for (cst_job *job = jobs; job < jobs + n; job++) {
        const uint8_t *const in = static_cast<const uint8_t *>(job->in);
        uint8_t *const out = static_cast<uint8_t *>(job->out);
        const Key &key = key_of(*job);
        const uint8_t (*const keys)[16] = key.round_keys(open);
        const uint32_t rounds = key.suite->encrypt->record.rounds;
        strides(job->in_len, [&](auto vectors, size_t at, size_t bytes)
                                 WIDE_INLINED { each_block<open, vectors>(keys, rounds, in + at, out + at, bytes); });
        text_done(job);
    }
}

void aes_ecb_wide(cst_job *jobs, size_t n) { (jobs->direction == CST_OPEN ? ecb<true> : ecb<false>)(jobs, n); }

}  // namespace cst
