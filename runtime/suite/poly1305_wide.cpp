#include "poly1305_wide.hpp"

#include "intrinsics.hpp"
#include "poly1305_limbs.hpp"

namespace cst {
namespace {

#define POLY_WIDE __attribute__((target("avx512f,avx512vl,avx512ifma")))
#define POLY_WIDE_INLINE __attribute__((target("avx512f,avx512vl,avx512ifma"), always_inline)) inline

constexpr size_t BLOCK = 16, LANES = 8;

POLY_WIDE_INLINE __m512i repeated(uint64_t x) { return _mm512_set1_epi64(int64_t(x)); }
// Block of eight that each lane has: unpacking two vectors of blocks leaves them so.
POLY_WIDE_INLINE __m512i blocks_of_lanes() { return _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0); }

// Eight numbers: limbs of 44, 44 and 42 bits, and of a sum of two a bit more.
struct Numbers {
    __m512i x[3];

    POLY_WIDE_INLINE static Numbers zero() {
        return {{_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()}};
    }
    POLY_WIDE_INLINE static Numbers repeat(const Limbs &a) {
        return {{repeated(a.x[0]), repeated(a.x[1]), repeated(a.x[2])}};
    }
    POLY_WIDE_INLINE Numbers operator+(const Numbers &a) const {
        return {{_mm512_add_epi64(x[0], a.x[0]), _mm512_add_epi64(x[1], a.x[1]), _mm512_add_epi64(x[2], a.x[2])}};
    }
};

// What numbers are multiplied by: limbs, and the last two times 20, as what exceeds limb 2 is worth in limb 0
// (poly1305_limbs.hpp).
struct Factor {
    __m512i r[3], again[3];

    POLY_WIDE_INLINE explicit Factor(const Numbers &a) : r{a.x[0], a.x[1], a.x[2]} {
        for (size_t i = 1; i < 3; i++)
            again[i] = _mm512_slli_epi64(_mm512_add_epi64(a.x[i], _mm512_slli_epi64(a.x[i], 2)), 2);
    }
};

// The derivation stands in isa/avx512.j2, multiply_limbs, and streams/limbs.j2, carry.
POLY_WIDE_INLINE Numbers operator*(const Numbers &a, const Factor &f) {
    Numbers low = Numbers::zero(), high = Numbers::zero();
#pragma GCC unroll 3
    for (size_t i = 0; i < 3; i++)
#pragma GCC unroll 3
        for (size_t k = 0; k < 3; k++) {
            const __m512i factor = k >= i ? f.r[k - i] : f.again[k + 3 - i];
            high.x[k] = _mm512_madd52hi_epu64(high.x[k], a.x[i], factor);
            low.x[k] = _mm512_madd52lo_epu64(low.x[k], a.x[i], factor);
        }
    const __m512i d0 = _mm512_add_epi64(
        low.x[0], _mm512_add_epi64(_mm512_slli_epi64(high.x[2], 10), _mm512_slli_epi64(high.x[2], 12)));
    const __m512i d1 = _mm512_add_epi64(low.x[1], _mm512_slli_epi64(high.x[0], 8)),
                  d2 = _mm512_add_epi64(low.x[2], _mm512_slli_epi64(high.x[1], 8));
    const __m512i mask = repeated(LOW_44), over = _mm512_srli_epi64(d2, 42);
    return {{_mm512_add_epi64(_mm512_add_epi64(_mm512_and_si512(d0, mask), over), _mm512_slli_epi64(over, 2)),
             _mm512_add_epi64(_mm512_and_si512(d1, mask), _mm512_srli_epi64(d0, 44)),
             _mm512_add_epi64(_mm512_and_si512(d2, repeated(LOW_42)), _mm512_srli_epi64(d1, 44))}};
}

POLY_WIDE_INLINE Numbers split(__m512i first, __m512i second, __mmask8 present) {
    const __m512i low = _mm512_unpacklo_epi64(first, second), high = _mm512_unpackhi_epi64(first, second),
                  mask = repeated(LOW_44);
    const __m512i top = _mm512_srli_epi64(high, 24);
    return {{_mm512_and_si512(low, mask),
             _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(low, 44), _mm512_slli_epi64(high, 20)), mask),
             _mm512_mask_or_epi64(top, present, top, repeated(uint64_t(1) << 40))}};  // 2^128
}
POLY_WIDE_INLINE Numbers load(const uint8_t *in) {
    return split(_mm512_loadu_si512(in), _mm512_loadu_si512(in + 4 * BLOCK), 0xff);
}
// The last n of eight blocks, and added to the first of them h.
POLY_WIDE_INLINE Numbers load_last(const uint8_t *in, size_t n, const Limbs &h) {
    const size_t missing = LANES - n;
    const uint32_t words = 0xffffu << (2 * missing);
    const uint8_t *const from = in - missing * BLOCK;
    const __m512i block = blocks_of_lanes(), first = repeated(missing);
    const Numbers m =
        split(_mm512_maskz_loadu_epi64(__mmask8(words), from),
              _mm512_maskz_loadu_epi64(__mmask8(words >> 8), from + 4 * BLOCK), _mm512_cmpge_epu64_mask(block, first));
    const __mmask8 at = _mm512_cmpeq_epu64_mask(block, first);
    return {{_mm512_mask_add_epi64(m.x[0], at, m.x[0], repeated(h.x[0])),
             _mm512_mask_add_epi64(m.x[1], at, m.x[1], repeated(h.x[1])),
             _mm512_mask_add_epi64(m.x[2], at, m.x[2], repeated(h.x[2]))}};
}

// r^8 .. r^1 in the order of blocks: each pair of lanes has r^4 times what the second has, and that.
POLY_WIDE_INLINE Factor falling_powers(const Limbs &p1, const Limbs &p2, const Limbs &p3, const Limbs &p4) {
    Numbers lower;
    for (size_t i = 0; i < 3; i++) {
        const __m256i four = _mm256_set_epi64x(int64_t(p1.x[i]), int64_t(p2.x[i]), int64_t(p3.x[i]), int64_t(p4.x[i]));
        lower.x[i] = _mm512_permutexvar_epi64(_mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0), _mm512_castsi256_si512(four));
    }
    const Numbers upper = lower * Factor(Numbers::repeat(p4));
    Numbers all;
    for (size_t i = 0; i < 3; i++) all.x[i] = _mm512_mask_blend_epi64(0xaa, upper.x[i], lower.x[i]);
    return Factor(all);
}

POLY_WIDE_INLINE uint64_t sum_of_lanes(__m512i a) {
    const __m256i four = _mm256_add_epi64(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
    return uint64_t(_mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two))));
}

}  // namespace

// Groups of eight blocks; what is missing of eight is missing from the first, where nothing would be added. Even and
// odd ones, counted from the last, go on by r^16 each, so that neither waits for the other.
POLY_WIDE void poly1305_wide(const PolyKey &key, uint64_t *accumulator, const uint8_t *in, uint64_t blocks) {
    const Limbs h = {{accumulator[0] & LOW_44, (accumulator[0] >> 44 | accumulator[1] << 20) & LOW_44,
                      accumulator[1] >> 24 | accumulator[2] << 40}};
    const Limbs p1 = limbs_of(key), p2 = product(p1, p1), p3 = product(p2, p1), p4 = product(p2, p2);
    const size_t n = size_t(blocks - 1) % LANES + 1;
    uint64_t groups = (blocks - n) / LANES;
    Numbers last = load_last(in, n, h);
    in += n * BLOCK;
    if (groups) {
        const Limbs p8 = product(p4, p4);
        const Factor by_one(Numbers::repeat(p8));
        auto next = [&]() POLY_WIDE {
            const Numbers m = load(in);
            in += LANES * BLOCK;
            return m;
        };
        Numbers other = groups % 2 ? last : last * by_one + next();
        last = next();
        if (groups > 2) {
            const Factor by_two(Numbers::repeat(product(p8, p8)));
            for (groups = (groups - 1) / 2; groups; groups--) {
                other = other * by_two + next();
                last = last * by_two + next();
            }
        }
        last = last + other * by_one;
    }
    const Numbers sums = last * falling_powers(p1, p2, p3, p4);
    uint64_t x0 = sum_of_lanes(sums.x[0]), x1 = sum_of_lanes(sums.x[1]), x2 = sum_of_lanes(sums.x[2]);
    x1 += x0 >> 44;
    x2 += x1 >> 44;
    x0 = (x0 & LOW_44) + 5 * (x2 >> 42);
    x1 = (x1 & LOW_44) + (x0 >> 44);
    x0 &= LOW_44;
    x2 = (x2 & LOW_42) + (x1 >> 44);
    x1 &= LOW_44;
    accumulator[0] = x0 | x1 << 44;
    accumulator[1] = x1 >> 20 | x2 << 24;
    accumulator[2] = x2 >> 40;
}

}  // namespace cst
