#include "ghash.hpp"

#include <cstring>

#include "intrinsics.hpp"

namespace cst {
namespace {

// The polynomial of a block whose bytes are reversed: bit 127 - i is the coefficient of x^i.
struct Polynomial {
    uint64_t low, high;
};

Polynomial load(const uint8_t *block) {
    uint64_t words[2];
    memcpy(words, block, sizeof(words));
    return {__builtin_bswap64(words[1]), __builtin_bswap64(words[0])};
}

// Divides by x: 1/x = x^127 + x^6 + x + 1.
Polynomial divided(Polynomial p) {
    const uint64_t carry = 0 - (p.high >> 63);
    return {p.low << 1 ^ (carry & 1), (p.high << 1 | p.low >> 63) ^ (carry & 0xc200000000000000u)};
}

#define PCLMUL __attribute__((target("pclmul,sse2"), always_inline)) inline

PCLMUL __m128i swapped(__m128i a) { return _mm_shuffle_epi32(a, 0x4e); }

// Reduces low + middle x^64 + high x^128; streams/ghash.j2 has the derivation.
PCLMUL __m128i fold(__m128i a) {
    const __m128i modulus = _mm_set_epi64x(0, int64_t(0xc200000000000000u));
    return _mm_xor_si128(_mm_clmulepi64_si128(a, modulus, 0x00), swapped(a));
}
PCLMUL __m128i reduced(__m128i low, __m128i middle, __m128i high) {
    return _mm_xor_si128(high, fold(_mm_xor_si128(middle, fold(low))));
}

// The product of factors that are divided by x is divided by x, too. By Karatsuba; `sum` has the sum of b's halves.
PCLMUL __m128i product(__m128i a, __m128i b, __m128i sum) {
    const __m128i low = _mm_clmulepi64_si128(a, b, 0x00), high = _mm_clmulepi64_si128(a, b, 0x11);
    const __m128i both = _mm_clmulepi64_si128(_mm_xor_si128(a, swapped(a)), sum, 0x00);
    return reduced(low, _mm_xor_si128(both, _mm_xor_si128(low, high)), high);
}
// The two products of a's halves with each other cancel.
PCLMUL __m128i square(__m128i a) {
    return reduced(_mm_clmulepi64_si128(a, a, 0x00), _mm_setzero_si128(), _mm_clmulepi64_si128(a, a, 0x11));
}

}  // namespace

// Every second power is a square. None waits for more than 2 log2(count) others.
__attribute__((target("pclmul,sse2"))) void ghash_powers(const uint8_t *h, uint32_t count, uint8_t (*rows)[16]) {
    const Polynomial first = divided(load(h));
    const __m128i one = _mm_set_epi64x(int64_t(first.high), int64_t(first.low)), sum = _mm_xor_si128(one, swapped(one));
    __m128i *const end = reinterpret_cast<__m128i *>(rows) + count;
    _mm_storeu_si128(end - 1, one);
    for (uint32_t i = 2; i <= count; i += 2) {
        const __m128i even = square(_mm_loadu_si128(end - i / 2));
        _mm_storeu_si128(end - i, even);
        if (i < count) _mm_storeu_si128(end - i - 1, product(even, one, sum));
    }
}

}  // namespace cst
