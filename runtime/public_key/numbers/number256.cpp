#include "number256.hpp"

#include <cstring>

#include "inverse256.hpp"
#include "../../suite/secret.hpp"

namespace cst {
namespace {

typedef unsigned __int128 Wide;
constexpr size_t WORDS = 4, LIMBS = 5;
constexpr unsigned BITS = 52;
constexpr uint64_t MASK = (uint64_t(1) << BITS) - 1;
// Kept in registers from product to product, numbers do not wait for stores.
#define IN_REGISTERS __attribute__((always_inline)) inline

// out = a - b. Returns 1 if that is below zero, else 0.
uint64_t subtract(const Number256 &a, const Number256 &b, Number256 *out) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < WORDS; i++) {
        const Wide all = Wide(a.word[i]) - b.word[i] - borrow;
        out->word[i] = uint64_t(all);
        borrow = uint64_t(all >> 64) & 1;
    }
    return borrow;
}

Residue256 limbs_of(const Number256 &a) {
    const uint64_t *const w = a.word;
    return {{w[0] & MASK, (w[0] >> 52 | w[1] << 12) & MASK, (w[1] >> 40 | w[2] << 24) & MASK,
             (w[2] >> 28 | w[3] << 36) & MASK, w[3] >> 16}};
}

Number256 words_of(const Residue256 &a) {
    const uint64_t *const l = a.limb;
    return {{l[0] | l[1] << 52, l[1] >> 12 | l[2] << 40, l[2] >> 24 | l[3] << 28, l[3] >> 36 | l[4] << 16}};
}

// Limbs that may be below zero give what is above 52 bits, or lacks, to the next one.
IN_REGISTERS Residue256 carried(uint64_t l0, uint64_t l1, uint64_t l2, uint64_t l3, uint64_t l4) {
    const auto above = [](uint64_t limb) { return uint64_t(int64_t(limb) >> BITS); };
    l1 += above(l0), l2 += above(l1), l3 += above(l2), l4 += above(l3);
    return {{l0 & MASK, l1 & MASK, l2 & MASK, l3 & MASK, l4}};
}

// a - b, or a if that is below zero.
IN_REGISTERS Residue256 less_once(const Residue256 &a, const Residue256 &b) {
    const uint64_t *const x = a.limb, *const y = b.limb;
    const Residue256 less = carried(x[0] - y[0], x[1] - y[1], x[2] - y[2], x[3] - y[3], x[4] - y[4]);
    return chosen(0 - (less.limb[4] >> 63), a, less);
}

}  // namespace

bool is_below(const Number256 &a, const Number256 &b) {
    Number256 less;
    return subtract(a, b, &less);
}

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

Modulus256::Modulus256(const Number256 &m) : m_(m), limbs_(limbs_of(m)), factor_(1) {
    const uint64_t *const l = limbs_.limb;
    twice_ = carried(2 * l[0], 2 * l[1], 2 * l[2], 2 * l[3], 2 * l[4]);
    // Newton's iteration doubles the bits of 1 / m, from one on.
    for (unsigned bits = 1; bits < BITS; bits *= 2) factor_ *= 2 - m.word[0] * factor_;
    factor_ = (0 - factor_) & MASK;
    Number256 rest;
    subtract({{0, 0, 0, 0}}, m, &rest);  // 2^256 - m
    one_ = word_one_ = limbs_of(rest);
    for (int i = 256; i < 260; i++) one_ = sum(one_, one_);
    word_factor_ = one_;
    for (int i = 260; i < 264; i++) word_factor_ = sum(word_factor_, word_factor_);
    square_ = one_;
    for (int i = 0; i < 260; i++) square_ = sum(square_, square_);
    cube_ = product(square_, square_);
}

// Row by row: t = (t + a[i] b + q m) / 2^52, with the q that makes it divisible. Of factors below 2 m the result is
// below m + 4 m^2 / 2^260, which is below 2 m.
Residue256 Modulus256::product(const Residue256 &a, const Residue256 &b) const {
    return factor_ == 1 ? product_of<true>(a, b) : product_of<false>(a, b);
}

// The lowest limb of P-256's prime is 2^52 - 1: q is t's then, and no row waits for a product of q.
template <bool MINUS_ONE>
Residue256 Modulus256::product_of(const Residue256 &a, const Residue256 &b) const {
    const uint64_t b0 = b.limb[0], b1 = b.limb[1], b2 = b.limb[2], b3 = b.limb[3], b4 = b.limb[4];
    const uint64_t m0 = limbs_.limb[0], m1 = limbs_.limb[1], m2 = limbs_.limb[2], m3 = limbs_.limb[3],
                   m4 = limbs_.limb[4];
    Wide t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0;
    const auto row = [&](uint64_t x) __attribute__((always_inline)) {
        t0 += Wide(x) * b0;
        const uint64_t q = (MINUS_ONE ? uint64_t(t0) : uint64_t(t0) * factor_) & MASK;
        const uint64_t carry = MINUS_ONE ? uint64_t(t0 >> BITS) + q : uint64_t((t0 + Wide(q) * m0) >> BITS);
        t0 = t1 + Wide(x) * b1 + Wide(q) * m1 + carry;
        t1 = t2 + Wide(x) * b2 + Wide(q) * m2;
        t2 = t3 + Wide(x) * b3 + Wide(q) * m3;
        t3 = t4 + Wide(x) * b4 + Wide(q) * m4;
        t4 = 0;
    };
    row(a.limb[0]);
    row(a.limb[1]);
    row(a.limb[2]);
    row(a.limb[3]);
    row(a.limb[4]);
    t1 += uint64_t(t0 >> BITS), t2 += uint64_t(t1 >> BITS), t3 += uint64_t(t2 >> BITS);
    return {{uint64_t(t0) & MASK, uint64_t(t1) & MASK, uint64_t(t2) & MASK, uint64_t(t3) & MASK, uint64_t(t3 >> BITS)}};
}

Residue256 Modulus256::from_plain(const Number256 &a) const { return product(limbs_of(a), square_); }

Number256 Modulus256::times(const Number256 &a, const Residue256 &b) const {
    return words_of(canonical(product(limbs_of(a), b)));
}

// a 2^260 2^256 2^-260
Number256 Modulus256::to_words(const Residue256 &a) const { return words_of(canonical(product(a, word_one_))); }

// a 2^256 2^264 2^-260
Residue256 Modulus256::from_words(const Number256 &a) const { return product(limbs_of(a), word_factor_); }

Residue256 Modulus256::sum(const Residue256 &a, const Residue256 &b) const {
    const uint64_t *const x = a.limb, *const y = b.limb;
    return less_once(carried(x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3], x[4] + y[4]), twice_);
}

Residue256 Modulus256::difference(const Residue256 &a, const Residue256 &b) const {
    const uint64_t *const x = a.limb, *const y = b.limb, *const z = twice_.limb;
    return less_once(
        carried(x[0] + z[0] - y[0], x[1] + z[1] - y[1], x[2] + z[2] - y[2], x[3] + z[3] - y[3], x[4] + z[4] - y[4]),
        twice_);
}

Residue256 Modulus256::canonical(const Residue256 &a) const { return less_once(less_once(a, twice_), limbs_); }

uint64_t Modulus256::is_zero(const Residue256 &a) const { return cst::is_zero(words_of(canonical(a))); }

Residue256 Modulus256::power(const Residue256 &a, const Number256 &exponent) const {
    constexpr unsigned DIGIT = 4;
    Residue256 powers[1 << DIGIT] = {one_, a}, out = one_;
    for (size_t i = 2; i < 1 << DIGIT; i++) powers[i] = product(powers[i - 1], a);
    for (size_t at = 256; at; at -= DIGIT) {
        for (unsigned i = 0; i < DIGIT; i++) out = product(out, out);
        out = product(out, powers[exponent.word[(at - DIGIT) / 64] >> (at - DIGIT) % 64 & ((1 << DIGIT) - 1)]);
    }
    wipe(powers, sizeof(powers));
    return out;
}

void Modulus256::invert(Residue256 *a, Residue256 *products, size_t n) const {
    Residue256 all = one_;
    for (size_t i = 0; i < n; i++) {
        products[i] = all;
        all = product(all, chosen(is_zero(a[i]), one_, a[i]));
    }
    all = product(limbs_of(inverse256(words_of(canonical(all)), m_)), cube_);  // 1 / (a 2^260) 2^780 2^-260
    for (size_t i = n; i--;) {
        const uint64_t zero = is_zero(a[i]);
        const Residue256 factor = chosen(zero, one_, a[i]);
        a[i] = chosen(zero, {{0, 0, 0, 0, 0}}, product(all, products[i]));
        all = product(all, factor);
    }
}

Number256 Modulus256::reduced(const Number256 &a) const {
    Number256 less;
    return chosen(0 - subtract(a, m_, &less), a, less);
}

bool Modulus256::is_reduced(const Number256 &a) const {
    Number256 less;
    return subtract(a, m_, &less);
}

Number256 Modulus256::less(const Number256 &a) const {
    Number256 out;
    subtract(m_, a, &out);
    return out;
}

}  // namespace cst
