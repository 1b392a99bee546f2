#include "ghash.hpp"

#include "intrinsics.hpp"
#include "part_block.hpp"

namespace cst {
namespace {

// A block whose bytes are reversed is its polynomial with the coefficient of x^i in bit 127 - i.
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

// 1/x = x^127 + x^6 + x + 1.
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

// The derivation stands in streams/ghash.j2.
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

// From the powers that are there already as many more: each product waits for few others.
__attribute__((target("pclmul,sse2"))) void ghash_powers(const uint8_t *h, uint32_t count, uint8_t (*rows)[16]) {
    const Polynomial first = divided(load(h));
    __m128i *last = reinterpret_cast<__m128i *>(rows) + count - 1;
    __m128i step = _mm_set_epi64x(
        int64_t(first.high),
        int64_t(first.low));  // the highest power so far; factors that are divided make products that are
    _mm_storeu_si128(last, step);
    for (uint32_t have = 1; have < count; have *= 2) {
        for (uint32_t i = 0; i < have && have + i < count; i++)
            _mm_storeu_si128(last - have - i, product(step, _mm_loadu_si128(last - i)));
        step = product(step, step);
    }
}

void ghash_folded(const uint8_t (*rows)[16], uint32_t count, uint8_t (*folded)[16]) {
    for (uint32_t i = 0; i < count; i++) {
        const __m128i row = _mm_loadu_si128(reinterpret_cast<const __m128i *>(rows[i]));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(folded[i]), _mm_xor_si128(row, _mm_shuffle_epi32(row, 0x4e)));
    }
}

namespace {

#define WIDE __attribute__((target("avx512f,avx512bw,pclmul,vpclmulqdq")))
#define WIDE_INLINE __attribute__((target("avx512f,avx512bw,pclmul,vpclmulqdq"), always_inline)) inline

// Of four pairs.
WIDE_INLINE __m512i products(__m512i a, __m512i b) {
    const __m512i modulus = _mm512_set1_epi64(int64_t(0xc200000000000000u));
    const __m512i low = _mm512_clmulepi64_epi128(a, b, 0x00), high = _mm512_clmulepi64_epi128(a, b, 0x11);
    __m512i sum = _mm512_xor_si512(_mm512_clmulepi64_epi128(a, b, 0x01), _mm512_clmulepi64_epi128(a, b, 0x10));
    const auto fold = [&](__m512i to, __m512i x) WIDE {
        return _mm512_ternarylogic_epi64(to, _mm512_clmulepi64_epi128(x, modulus, 0x00),
                                         _mm512_shuffle_epi32(x, _MM_PERM_BADC), 0x96);
    };
    sum = fold(sum, low);
    return fold(high, sum);
}
WIDE_INLINE __m512i everywhere(__m128i block) { return _mm512_broadcast_i32x4(block); }
WIDE_INLINE void store_both(uint8_t (*rows)[16], uint8_t (*folded)[16], __m512i x) {
    _mm512_storeu_si512(rows, x);
    _mm512_storeu_si512(folded, _mm512_xor_si512(x, _mm512_shuffle_epi32(x, _MM_PERM_BADC)));
}

}  // namespace

// The squares wait for one another alone; everything else is one product of them with what is there.
WIDE void ghash_powers_wide(const uint8_t *h, uint8_t (*rows)[16], uint8_t (*folded)[16], uint8_t (*lanes)[16],
                            uint8_t (*lanes_folded)[16]) {
    const Polynomial first = divided(load(h));
    const __m128i h1 = _mm_set_epi64x(int64_t(first.high), int64_t(first.low)), h2 = product(h1, h1),
                  h3 = product(h2, h1), h4 = product(h2, h2), h8 = product(h4, h4), h16 = product(h8, h8);
    const __m512i by_4 = everywhere(h4), by_8 = everywhere(h8), by_16 = everywhere(h16);
    __m512i powers[9];  // those of the lowest exponents first
    powers[0] =
        _mm512_inserti32x4(_mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi128_si512(h4), h3, 1), h2, 2), h1, 3);
    powers[1] = products(powers[0], by_4);
#pragma GCC unroll 2
    for (size_t i = 0; i < 2; i++) powers[2 + i] = products(powers[i], by_8);
#pragma GCC unroll 8
    for (size_t i = 0; i < 5; i++) powers[4 + i] = products(powers[i], by_16);
#pragma GCC unroll 16
    for (size_t i = 0; i < 9; i++) store_both(rows + 4 * (8 - i), folded + 4 * (8 - i), powers[i]);
    const __m128i h12 = _mm512_castsi512_si128(powers[2]);
    store_both(lanes, lanes_folded, by_16);
    store_both(lanes + 4, lanes_folded + 4, everywhere(h12));
    store_both(lanes + 8, lanes_folded + 8, by_8);
    store_both(lanes + 12, lanes_folded + 12, by_4);
}

#undef WIDE
#undef WIDE_INLINE

namespace {

// Adds up products of blocks with falling powers of H.
class Products {
public:
    // `first` is added to the first block.
    __attribute__((target("pclmul,ssse3"))) Products(const __m128i *powers, __m128i first)
        : power_(powers), first_(first), sum_{_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128()} {}

    __attribute__((target("pclmul,ssse3"))) void add(__m128i block) {
        add_product(&sum_, _mm_xor_si128(reversed(block), first_), _mm_loadu_si128(power_++));
        first_ = _mm_setzero_si128();
    }
    // Filled up with zeros.
    __attribute__((target("pclmul,ssse3"))) void add(const uint8_t *data, size_t bytes) {
        for (; bytes >= 16; data += 16, bytes -= 16) add(_mm_loadu_si128(reinterpret_cast<const __m128i *>(data)));
        if (bytes) add(load_part(data, bytes));
    }
    __attribute__((target("pclmul,ssse3"))) __m128i result() const { return reduced(sum_); }

    __attribute__((target("ssse3"))) static __m128i reversed(__m128i block) {
        return _mm_shuffle_epi8(block, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    }

private:
    const __m128i *power_;
    __m128i first_;
    Sum sum_;
};

}  // namespace

__attribute__((target("pclmul,ssse3"))) void ghash_blocks(const uint8_t (*powers_end)[16], uint8_t *y,
                                                          const uint8_t *data, size_t blocks) {
    constexpr size_t MOST = 8;  // products between reductions
    const __m128i *powers = reinterpret_cast<const __m128i *>(powers_end);
    __m128i *const chain = reinterpret_cast<__m128i *>(y);
    __m128i before = Products::reversed(_mm_loadu_si128(chain));
    while (blocks) {
        const size_t n = blocks < MOST ? blocks : MOST;
        Products products(powers - n, before);
        products.add(data, 16 * n);
        before = products.result();
        data += 16 * n;
        blocks -= n;
    }
    _mm_storeu_si128(chain, Products::reversed(before));
}

__attribute__((target("pclmul,ssse3"))) void ghash_part(const uint8_t (*powers_end)[16], uint8_t *y,
                                                        const uint8_t *data, size_t bytes) {
    __m128i *const chain = reinterpret_cast<__m128i *>(y);
    Products products(reinterpret_cast<const __m128i *>(powers_end) - (bytes + 15) / 16,
                      Products::reversed(_mm_loadu_si128(chain)));
    products.add(data, bytes);
    _mm_storeu_si128(chain, Products::reversed(products.result()));
}

__attribute__((target("pclmul,ssse3"))) void ghash_end(const uint8_t (*powers_end)[16], uint8_t *y,
                                                       const GhashEnd &end) {
    __m128i *const chain = reinterpret_cast<__m128i *>(y);
    const size_t n = (end.aad_bytes + 15) / 16 + (end.text_bytes + 15) / 16 + 1;
    Products products(reinterpret_cast<const __m128i *>(powers_end) - n, Products::reversed(_mm_loadu_si128(chain)));
    products.add(end.aad, end.aad_bytes);
    products.add(end.text, end.text_bytes);
    products.add(_mm_set_epi64x(int64_t(__builtin_bswap64(8 * end.text_length)),
                                int64_t(__builtin_bswap64(8 * end.aad_length))));
    _mm_storeu_si128(chain, Products::reversed(products.result()));
}

}  // namespace cst
