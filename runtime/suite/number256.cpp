#include "number256.hpp"

#include <cstring>

#include "secret.hpp"

namespace cst {
namespace {

typedef unsigned __int128 Wide;
constexpr size_t WORDS = 4;
// Kept in registers from product to product, numbers do not wait for stores.
#define IN_REGISTERS __attribute__((always_inline)) inline

// out = a - b. Returns 1 if that is below zero, else 0.
IN_REGISTERS uint64_t subtract(const Number256 &a, const Number256 &b, Number256 *out) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < WORDS; i++) {
        const Wide all = Wide(a.word[i]) - b.word[i] - borrow;
        out->word[i] = uint64_t(all);
        borrow = uint64_t(all >> 64) & 1;
    }
    return borrow;
}

// out = a + b. Returns the carry.
IN_REGISTERS uint64_t add(const Number256 &a, const Number256 &b, Number256 *out) {
    uint64_t carry = 0;
    for (size_t i = 0; i < WORDS; i++) {
        const Wide all = Wide(a.word[i]) + b.word[i] + carry;
        out->word[i] = uint64_t(all);
        carry = uint64_t(all >> 64);
    }
    return carry;
}

// The number carry 2^256 + a, below 2 m, modulo m.
IN_REGISTERS Number256 once_reduced(uint64_t carry, const Number256 &a, const Number256 &m) {
    Number256 less;
    const uint64_t borrow = subtract(a, m, &less);
    return chosen(0 - (borrow & (carry ^ 1)), a, less);
}

}  // namespace

uint64_t is_zero(const Number256 &a) {
    const uint64_t any = a.word[0] | a.word[1] | a.word[2] | a.word[3];
    return ((any | (0 - any)) >> 63) - 1;
}

Number256 number256_from_bytes(const uint8_t *bytes) {
    Number256 out;
    for (size_t i = 0; i < WORDS; i++) {
        memcpy(&out.word[WORDS - 1 - i], bytes + 8 * i, 8);
        out.word[WORDS - 1 - i] = __builtin_bswap64(out.word[WORDS - 1 - i]);
    }
    return out;
}

void put_number256(const Number256 &a, uint8_t *bytes) {
    for (size_t i = 0; i < WORDS; i++) {
        const uint64_t word = __builtin_bswap64(a.word[WORDS - 1 - i]);
        memcpy(bytes + 8 * i, &word, 8);
    }
}

Modulus256::Modulus256(const Number256 &m) : m_(m), factor_(1) {
    // Newton's iteration doubles the bits of 1 / m, from one on.
    for (int bits = 1; bits < 64; bits *= 2) factor_ *= 2 - m.word[0] * factor_;
    factor_ = 0 - factor_;
    subtract({{0, 0, 0, 0}}, m, &one_);  // 2^256 - m, which is below m
    square_ = one_;
    for (int i = 0; i < 256; i++) square_ = sum(square_, square_);
}

// Row by row: t = (t + a[i] b + q m) / 2^64, with the q that makes it divisible.
Number256 Modulus256::product(const Number256 &a, const Number256 &b) const {
    const uint64_t b0 = b.word[0], b1 = b.word[1], b2 = b.word[2], b3 = b.word[3];
    const uint64_t m0 = m_.word[0], m1 = m_.word[1], m2 = m_.word[2], m3 = m_.word[3];
    uint64_t t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0;
    const auto row = [&](uint64_t factor) __attribute__((always_inline)) {
        const Wide p0 = Wide(factor) * b0 + t0, p1 = Wide(factor) * b1 + t1 + uint64_t(p0 >> 64),
                   p2 = Wide(factor) * b2 + t2 + uint64_t(p1 >> 64), p3 = Wide(factor) * b3 + t3 + uint64_t(p2 >> 64),
                   p4 = Wide(t4) + uint64_t(p3 >> 64);
        const uint64_t q = uint64_t(p0) * factor_;
        const Wide r0 = Wide(q) * m0 + uint64_t(p0), r1 = Wide(q) * m1 + uint64_t(p1) + uint64_t(r0 >> 64),
                   r2 = Wide(q) * m2 + uint64_t(p2) + uint64_t(r1 >> 64),
                   r3 = Wide(q) * m3 + uint64_t(p3) + uint64_t(r2 >> 64), r4 = p4 + uint64_t(r3 >> 64);
        t0 = uint64_t(r1), t1 = uint64_t(r2), t2 = uint64_t(r3), t3 = uint64_t(r4), t4 = uint64_t(r4 >> 64);
    };
    row(a.word[0]);
    row(a.word[1]);
    row(a.word[2]);
    row(a.word[3]);
    return once_reduced(t4, {{t0, t1, t2, t3}}, m_);
}

Number256 Modulus256::sum(const Number256 &a, const Number256 &b) const {
    Number256 all;
    const uint64_t carry = add(a, b, &all);
    return once_reduced(carry, all, m_);
}

Number256 Modulus256::difference(const Number256 &a, const Number256 &b) const {
    Number256 less, more;
    const uint64_t borrow = subtract(a, b, &less);
    add(less, m_, &more);
    return chosen(0 - borrow, more, less);
}

Number256 Modulus256::power(const Number256 &a, const Number256 &exponent) const {
    constexpr unsigned BITS = 4;
    Number256 powers[1 << BITS] = {one_, a}, out = one_;
    for (size_t i = 2; i < 1 << BITS; i++) powers[i] = product(powers[i - 1], a);
    for (size_t at = 256; at; at -= BITS) {
        for (unsigned i = 0; i < BITS; i++) out = product(out, out);
        out = product(out, powers[exponent.word[(at - BITS) / 64] >> (at - BITS) % 64 & ((1 << BITS) - 1)]);
    }
    wipe(powers, sizeof(powers));
    return out;
}

void Modulus256::invert(Number256 *a, Number256 *products, size_t n) const {
    Number256 all = one_, exponent;
    for (size_t i = 0; i < n; i++) {
        products[i] = all;
        all = product(all, chosen(is_zero(a[i]), one_, a[i]));
    }
    subtract(m_, {{2, 0, 0, 0}}, &exponent);
    all = power(all, exponent);
    for (size_t i = n; i--;) {
        const uint64_t zero = is_zero(a[i]);
        const Number256 factor = chosen(zero, one_, a[i]);
        a[i] = chosen(zero, {{0, 0, 0, 0}}, product(all, products[i]));
        all = product(all, factor);
    }
}

Number256 Modulus256::reduced(const Number256 &a, uint64_t carry) const { return once_reduced(carry, a, m_); }

bool Modulus256::is_reduced(const Number256 &a) const {
    Number256 less;
    return subtract(a, m_, &less);
}

}  // namespace cst
