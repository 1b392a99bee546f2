#include "ghash.hpp"

#include "intrinsics.hpp"

namespace cst {
namespace {

// The polynomial of a block whose bytes are reversed: bit 127 - i is the coefficient of x^i.
struct Polynomial {
    uint64_t low, high;
};

Polynomial load(const uint8_t *block) {
    Polynomial p = {0, 0};
    for (int i = 0; i < 8; i++) {
        p.high = p.high << 8 | block[i];
        p.low = p.low << 8 | block[8 + i];
    }
    return p;
}

// Divides by x: 1/x = x^127 + x^6 + x + 1.
Polynomial divided(Polynomial p) {
    const uint64_t carry = 0 - (p.high >> 63);
    return {p.low << 1 ^ (carry & 1), (p.high << 1 | p.low >> 63) ^ (carry & 0xc200000000000000u)};
}

// A sum of products in which the second factors have been divided by x: low + middle x^64 + high x^128.
struct Sum {
    __m128i low, middle, high;
};

__attribute__((target("pclmul,sse2"))) inline void add_product(Sum *sum, __m128i a, __m128i b) {
    sum->low = _mm_xor_si128(sum->low, _mm_clmulepi64_si128(a, b, 0x00));
    sum->high = _mm_xor_si128(sum->high, _mm_clmulepi64_si128(a, b, 0x11));
    sum->middle =
        _mm_xor_si128(sum->middle, _mm_xor_si128(_mm_clmulepi64_si128(a, b, 0x01), _mm_clmulepi64_si128(a, b, 0x10)));
}

// Reduces a sum; streams/ghash.j2 has the derivation.
__attribute__((target("pclmul,sse2"))) inline __m128i reduced(const Sum &sum) {
    const __m128i modulus = _mm_set_epi64x(0, int64_t(0xc200000000000000u));
    auto fold = [&](__m128i a) __attribute__((target("pclmul,sse2"))) {
        return _mm_xor_si128(_mm_clmulepi64_si128(a, modulus, 0x00), _mm_shuffle_epi32(a, 0x4e));
    };
    return _mm_xor_si128(sum.high, fold(_mm_xor_si128(sum.middle, fold(sum.low))));
}

__attribute__((target("pclmul,sse2"))) inline __m128i product(__m128i a, __m128i b) {
    Sum sum = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128()};
    add_product(&sum, a, b);
    return reduced(sum);
}

}  // namespace

// Doubles the number of powers in each round, so that each product waits for few others.
__attribute__((target("pclmul,sse2"))) void ghash_powers(const uint8_t *h, uint32_t count, uint8_t (*rows)[16]) {
    const Polynomial first = divided(load(h));
    __m128i *last = reinterpret_cast<__m128i *>(rows) + count - 1;
    __m128i step = _mm_set_epi64x(
        int64_t(first.high),
        int64_t(first.low));  // the highest power so far; the product of factors that are divided is divided, too
    _mm_storeu_si128(last, step);
    for (uint32_t have = 1; have < count; have *= 2) {
        for (uint32_t i = 0; i < have && have + i < count; i++)
            _mm_storeu_si128(last - have - i, product(step, _mm_loadu_si128(last - i)));
        step = product(step, step);
    }
}

}  // namespace cst
