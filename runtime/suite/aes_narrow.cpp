#include "aes_narrow.hpp"

#include <immintrin.h>

#include <cstring>

#include "aes.hpp"
#include "secret.hpp"

namespace cst {
namespace {

#define NARROW __attribute__((target("aes,ssse3")))
#define NARROW_INLINED __attribute__((target("aes,ssse3"), always_inline))
#define NARROW_INLINE NARROW_INLINED inline
#define DOUBLE __attribute__((target("aes,avx2,vaes")))
#define DOUBLE_INLINE __attribute__((target("aes,avx2,vaes"), always_inline)) inline

constexpr size_t BLOCK = 16, TEAM = 8, STRIDE = TEAM * BLOCK;  // side by side: enough to hide the latency of a round
// Ten leave the AES units idle for less: 50.2 cycles where 50 are the bound, eight 41 where it is 40.
constexpr size_t LARGE_TEAM = 10;

typedef const uint8_t (*Keys)[16];

NARROW_INLINE __m128i load(const uint8_t *from) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from)); }
NARROW_INLINE void store(uint8_t *to, __m128i x) { _mm_storeu_si128(reinterpret_cast<__m128i *>(to), x); }
DOUBLE_INLINE __m256i load_two(const uint8_t *from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
}
DOUBLE_INLINE void store_two(uint8_t *to, __m256i x) { _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), x); }
DOUBLE_INLINE __m256i twice(const uint8_t *from) { return _mm256_broadcastsi128_si256(load(from)); }

// The rounds between the first key and the last.
template <bool open, size_t n>
NARROW_INLINE void middle_rounds(__m128i (&x)[n], Keys keys, uint32_t rounds) {
    const auto next_round = [&](uint32_t r) NARROW {
        const __m128i k = load(keys[r]);
#pragma GCC unroll 16
        for (size_t v = 0; v < n; v++) x[v] = open ? _mm_aesdec_si128(x[v], k) : _mm_aesenc_si128(x[v], k);
    };
#pragma GCC unroll 16
    for (uint32_t r = 1; r < AES_LEAST_ROUNDS; r++) next_round(r);
    if (rounds == AES_LEAST_ROUNDS) return;
    next_round(10), next_round(11);
    if (rounds > 12) next_round(12), next_round(13);
}
template <bool open>
DOUBLE_INLINE void middle_rounds(__m256i (&x)[TEAM], Keys keys, uint32_t rounds) {
    for (uint32_t r = 1; r < rounds; r++) {
        const __m256i k = twice(keys[r]);
#pragma GCC unroll 16
        for (size_t v = 0; v < TEAM; v++) x[v] = open ? _mm256_aesdec_epi128(x[v], k) : _mm256_aesenc_epi128(x[v], k);
    }
}
template <bool open>
NARROW_INLINE __m128i last_round(__m128i x, __m128i k) {
    return open ? _mm_aesdeclast_si128(x, k) : _mm_aesenclast_si128(x, k);
}

// Each mode: `some<n>` of a text, of which the last n - 1 blocks may be missing; `many` of whole double strides.
// `carried`: what they leave for those behind them.
struct Counting {
    const Keys keys;
    const uint32_t rounds;
    __m128i carried;  // the next block; its last 32 bits are a number

    NARROW_INLINE static Counting begin(const cst_job &job, const Key &key) {
        return {key.encrypt(), key.suite->encrypt->record.rounds,
                _mm_shuffle_epi8(load(static_cast<const uint8_t *>(job.iv)), swap())};
    }
    NARROW_INLINE static __m128i swap() { return _mm_set_epi8(12, 13, 14, 15, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0); }
    NARROW_INLINE static __m128i plus(__m128i block, uint32_t n) {
        return _mm_add_epi32(block, _mm_set_epi32(int(n), 0, 0, 0));
    }

    template <size_t n>
    NARROW_INLINE void some(const uint8_t *in, uint8_t *out, size_t bytes) {
        if (uint8_t(_mm_extract_epi16(carried, 6)) <= 256 - n) blocks<n, false>(in, out, bytes);
        else blocks<n, true>(in, out, bytes);
    }
    // carries: a number's last byte may. Else it alone counts, where it stands: one instruction less for each block,
    // which would keep an AES unit from a round.
    template <size_t n, bool carries>
    NARROW_INLINE void blocks(const uint8_t *in, uint8_t *out, size_t bytes) {
        __m128i x[n];
        const __m128i first = load(keys[0]), last = load(keys[rounds]), block = _mm_shuffle_epi8(carried, swap());
#pragma GCC unroll 16
        for (size_t v = 0; v < n; v++)
            x[v] = _mm_xor_si128(
                carries ? _mm_shuffle_epi8(plus(carried, uint32_t(v)), swap()) : plus(block, uint32_t(v) << 24), first);
        carried = plus(carried, n);
        middle_rounds<false>(x, keys, rounds);
#pragma GCC unroll 16
        for (size_t v = 0; v < n; v++) {
            const size_t at = BLOCK * v;
            if (at >= bytes) break;
            if (at + BLOCK <= bytes) {
                store(out + at, _mm_aesenclast_si128(x[v], _mm_xor_si128(last, load(in + at))));
            } else {
                alignas(BLOCK) uint8_t stream[1][BLOCK];
                store(stream[0], _mm_aesenclast_si128(x[v], last));
                for (size_t i = 0; at + i < bytes; i++) out[at + i] = in[at + i] ^ stream[0][i];
                wipe_rows(stream, 1);
            }
        }
    }
    DOUBLE_INLINE void many(const uint8_t *in, uint8_t *out, size_t strides) {
        const __m256i first = twice(keys[0]), last = twice(keys[rounds]), order = _mm256_broadcastsi128_si256(swap());
        __m256i counts =
            _mm256_add_epi32(_mm256_broadcastsi128_si256(carried), _mm256_set_epi32(1, 0, 0, 0, 0, 0, 0, 0));
        for (; strides; strides--, in += 2 * STRIDE, out += 2 * STRIDE) {
            __m256i x[TEAM];
#pragma GCC unroll 16
            for (size_t v = 0; v < TEAM; v++) {
                x[v] = _mm256_xor_si256(_mm256_shuffle_epi8(counts, order), first);
                counts = _mm256_add_epi32(counts, _mm256_set_epi32(2, 0, 0, 0, 2, 0, 0, 0));
            }
            middle_rounds<false>(x, keys, rounds);
#pragma GCC unroll 16
            for (size_t v = 0; v < TEAM; v++)
                store_two(out + 2 * BLOCK * v,
                          _mm256_xor_si256(_mm256_aesenclast_epi128(x[v], last), load_two(in + 2 * BLOCK * v)));
        }
        carried = _mm256_castsi256_si128(counts);
    }
};

struct Opening {
    const Keys keys;
    const uint32_t rounds;
    __m128i carried;  // the block before the text

    NARROW_INLINE static Opening begin(const cst_job &job, const Key &key) {
        return {key.decrypt(), key.suite->decrypt->record.rounds, load(static_cast<const uint8_t *>(job.iv))};
    }

    template <size_t n>
    NARROW_INLINE void some(const uint8_t *in, uint8_t *out, size_t bytes) {
        __m128i x[n];
        const __m128i first = load(keys[0]), last = load(keys[rounds]),
                      end = load(in + (BLOCK * n <= bytes ? BLOCK * (n - 1) : 0));
#pragma GCC unroll 16
        for (size_t v = 0; v < n; v++) x[v] = _mm_xor_si128(load(in + (BLOCK * v < bytes ? BLOCK * v : 0)), first);
        middle_rounds<true>(x, keys, rounds);
#pragma GCC unroll 16
        for (size_t i = 0; i < n; i++) {
            const size_t v = n - 1 - i;
            if (BLOCK * v >= bytes) continue;
            // P = D(K, C) ^ the block before: the last first, because in place that is overwritten too.
            store(out + BLOCK * v,
                  _mm_xor_si128(_mm_aesdeclast_si128(x[v], last), v ? load(in + BLOCK * (v - 1)) : carried));
        }
        carried = end;
    }
    DOUBLE_INLINE void many(const uint8_t *in, uint8_t *out, size_t strides) {
        const __m256i first = twice(keys[0]), last = twice(keys[rounds]);
        for (; strides; strides--, in += 2 * STRIDE, out += 2 * STRIDE) {
            __m256i x[TEAM], p[TEAM];
            const __m128i end = load(in + 2 * STRIDE - BLOCK);
#pragma GCC unroll 16
            for (size_t v = 0; v < TEAM; v++) {
                x[v] = _mm256_xor_si256(load_two(in + 2 * BLOCK * v), first);
                p[v] = v ? load_two(in + 2 * BLOCK * v - BLOCK)
                         : _mm256_inserti128_si256(_mm256_castsi128_si256(carried), load(in), 1);
            }
            middle_rounds<true>(x, keys, rounds);
#pragma GCC unroll 16
            for (size_t v = 0; v < TEAM; v++)
                store_two(out + 2 * BLOCK * v, _mm256_xor_si256(_mm256_aesdeclast_epi128(x[v], last), p[v]));
            carried = end;
        }
    }
};

template <bool open>
struct EachBlock {
    const Keys keys;
    const uint32_t rounds;
    __m128i carried;  // nothing

    NARROW_INLINE static EachBlock begin(const cst_job &, const Key &key) {
        return {key.round_keys(open), key.suite->encrypt->record.rounds, _mm_setzero_si128()};
    }

    template <size_t n>
    NARROW_INLINE void some(const uint8_t *in, uint8_t *out, size_t bytes) {
        __m128i x[n];
        const __m128i first = load(keys[0]), last = load(keys[rounds]);
#pragma GCC unroll 16
        for (size_t v = 0; v < n; v++) x[v] = _mm_xor_si128(load(in + (BLOCK * v < bytes ? BLOCK * v : 0)), first);
        middle_rounds<open>(x, keys, rounds);
#pragma GCC unroll 16
        for (size_t v = 0; v < n; v++) {
            if (BLOCK * v >= bytes) break;
            store(out + BLOCK * v, last_round<open>(x[v], last));
        }
    }
    DOUBLE_INLINE void many(const uint8_t *in, uint8_t *out, size_t strides) {
        const __m256i first = twice(keys[0]), last = twice(keys[rounds]);
        for (; strides; strides--, in += 2 * STRIDE, out += 2 * STRIDE) {
            __m256i x[TEAM];
#pragma GCC unroll 16
            for (size_t v = 0; v < TEAM; v++) x[v] = _mm256_xor_si256(load_two(in + 2 * BLOCK * v), first);
            middle_rounds<open>(x, keys, rounds);
#pragma GCC unroll 16
            for (size_t v = 0; v < TEAM; v++)
                store_two(out + 2 * BLOCK * v,
                          open ? _mm256_aesdeclast_epi128(x[v], last) : _mm256_aesenclast_epi128(x[v], last));
        }
    }
};

// Functions of their own, and aligned: in another place within the cache lines a text takes a third longer. They return
// `carried`: in a register, for in memory it is late for what comes next.
template <typename Mode, size_t n>
NARROW __attribute__((noinline, aligned(64))) __m128i whole_strides(Keys keys, uint32_t rounds, __m128i carried,
                                                                    const uint8_t *in, uint8_t *out, size_t strides) {
    Mode mode = {keys, rounds, carried};
    for (; strides; strides--, in += n * BLOCK, out += n * BLOCK) mode.template some<n>(in, out, n * BLOCK);
    return mode.carried;
}
template <typename Mode>
DOUBLE __attribute__((noinline, aligned(64))) __m128i double_strides(Keys keys, uint32_t rounds, __m128i carried,
                                                                     const uint8_t *in, uint8_t *out, size_t strides) {
    Mode mode = {keys, rounds, carried};
    mode.many(in, out, strides);
    _mm256_zeroupper();
    return mode.carried;
}

// Where the frame of double_strides was, in which a compiler may have put what it had no register for. The other
// functions have enough registers.
NARROW __attribute__((noinline)) void wipe_frame() {
    uint8_t frame[448];
#pragma GCC unroll 64
    for (size_t i = 0; i < sizeof(frame); i += BLOCK) store(frame + i, _mm_setzero_si128());
    __asm__ volatile("" : : "r"(frame) : "memory");
}

template <typename Mode>
NARROW void run(cst_job *jobs, size_t n, bool vaes) {
    for (cst_job *job = jobs; job < jobs + n; job++) {
        Mode mode = Mode::begin(*job, key_of(*job));
        const uint8_t *in = static_cast<const uint8_t *>(job->in);
        uint8_t *out = static_cast<uint8_t *>(job->out);
        size_t left = job->in_len;
        const auto take = [&](auto strides, size_t n, size_t bytes) NARROW_INLINED {
            if (!n) return;
            mode.carried = strides(mode.keys, mode.rounds, mode.carried, in, out, n);
            in += n * bytes, out += n * bytes, left -= n * bytes;
        };
        if (vaes) take(double_strides<Mode>, left / (2 * STRIDE), 2 * STRIDE);
        const size_t most = left / (LARGE_TEAM * BLOCK), too_many = (most - left / (2 * BLOCK)) % 4;
        // As many as leave whole strides of eight, but for a block: most = left / 2 (mod 4), in blocks.
        if (most > too_many) take(whole_strides<Mode, LARGE_TEAM>, most - too_many, LARGE_TEAM * BLOCK);
        take(whole_strides<Mode, TEAM>, left / STRIDE, STRIDE);
        if (left > 4 * BLOCK) mode.template some<TEAM>(in, out, left);
        else if (left > BLOCK) mode.template some<4>(in, out, left);
        else if (left) mode.template some<1>(in, out, left);
        text_done(job);
    }
    if (vaes && jobs->in_len >= 2 * STRIDE) wipe_frame();
    __asm__ volatile("" : : : "memory");  // called from where that was: not in place of this function
}

}  // namespace

void aes_counter_narrow(cst_job *jobs, size_t n, bool vaes) { run<Counting>(jobs, n, vaes); }
void aes_cbc_open_narrow(cst_job *jobs, size_t n, bool vaes) { run<Opening>(jobs, n, vaes); }
void aes_ecb_narrow(cst_job *jobs, size_t n, bool vaes) {
    (jobs->direction == CST_OPEN ? run<EachBlock<true>> : run<EachBlock<false>>)(jobs, n, vaes);
}

}  // namespace cst
