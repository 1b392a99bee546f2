#include "big_number.hpp"

#include <cstring>

#include "../../suite/secret.hpp"

namespace cst {
namespace {

typedef unsigned __int128 Wide;
constexpr size_t MOST = MOST_NUMBER_WORDS;

// Hides from the compiler that it is a mask.
uint64_t opaque(uint64_t mask) {
    __asm__ volatile("" : "+r"(mask));
    return mask;
}

// to = a where the mask has ones, else b
void choose(uint64_t *to, const uint64_t *a, const uint64_t *b, uint64_t mask, size_t n) {
    mask = opaque(mask);
    for (size_t i = 0; i < n; i++) to[i] = (a[i] & mask) | (b[i] & ~mask);
}

// a[0..n] += b c, of n words and one; returns what goes beyond.
uint64_t add_multiple(uint64_t *a, const uint64_t *b, uint64_t c, size_t n) {
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
        const Wide all = Wide(b[i]) * c + a[i] + carry;
        a[i] = uint64_t(all);
        carry = uint64_t(all >> 64);
    }
    return carry;
}

}  // namespace

void read_number(const uint8_t *bytes, size_t size, uint64_t *a, size_t n) {
    memset(a, 0, n * sizeof(*a));
    for (size_t i = 0; i < size; i++) a[i / 8] |= uint64_t(bytes[size - 1 - i]) << 8 * (i % 8);
}

void write_number(const uint64_t *a, uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) bytes[size - 1 - i] = uint8_t(a[i / 8] >> 8 * (i % 8));
}

uint64_t add_number(uint64_t *a, const uint64_t *b, size_t n) {
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
        const Wide all = Wide(a[i]) + b[i] + carry;
        a[i] = uint64_t(all);
        carry = uint64_t(all >> 64);
    }
    return carry;
}

uint64_t subtract_number(uint64_t *a, const uint64_t *b, size_t n) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < n; i++) {
        const Wide all = Wide(a[i]) - b[i] - borrow;
        a[i] = uint64_t(all);
        borrow = uint64_t(all >> 64) & 1;
    }
    return borrow;
}

uint64_t subtract_if_not_less(uint64_t *a, uint64_t above, const uint64_t *b, size_t n) {
    uint64_t less[MOST];
    memcpy(less, a, n * sizeof(*a));
    const uint64_t borrow = subtract_number(less, b, n), below = borrow & ~((above | (0 - above)) >> 63);
    choose(a, a, less, 0 - below, n);
    wipe(less, n * sizeof(*less));
    return above - (borrow & ~below);
}

uint64_t is_less(const uint64_t *a, const uint64_t *b, size_t n) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < n; i++) borrow = uint64_t((Wide(a[i]) - b[i] - borrow) >> 64) & 1;
    return opaque(0 - borrow);
}

uint64_t is_equal(const uint64_t *a, const uint64_t *b, size_t n) {
    uint64_t difference = 0;
    for (size_t i = 0; i < n; i++) difference |= a[i] ^ b[i];
    return opaque(((difference | (0 - difference)) >> 63) - 1);
}

uint64_t is_one(const uint64_t *a, size_t n) {
    uint64_t difference = a[0] ^ 1;
    for (size_t i = 1; i < n; i++) difference |= a[i];
    return opaque(((difference | (0 - difference)) >> 63) - 1);
}

void multiply_numbers(const uint64_t *a, const uint64_t *b, size_t n, uint64_t *product) {
    memset(product, 0, 2 * n * sizeof(*product));
    for (size_t i = 0; i < n; i++) product[i + n] = add_multiple(product + i, a, b[i], n);
}

void reduce_number(const uint64_t *a, size_t words, const uint64_t *m, size_t m_words, uint64_t *rest) {
    memset(rest, 0, m_words * sizeof(*rest));
    for (size_t bit = 64 * words; bit--;) {
        uint64_t carry = a[bit / 64] >> bit % 64 & 1;
        for (size_t i = 0; i < m_words; i++) {
            const uint64_t out = rest[i] >> 63;
            rest[i] = rest[i] << 1 | carry;
            carry = out;
        }
        subtract_if_not_less(rest, carry, m, m_words);
    }
}

uint64_t negative_inverse(uint64_t m) {
    uint64_t inverse = m;  // right for three bits; each step doubles their number (Newton)
    for (int i = 0; i < 5; i++) inverse *= 2 - m * inverse;
    return 0 - inverse;
}

void Modulus::init(const uint64_t *modulus, size_t words) {
    n = words;
    memcpy(m, modulus, n * sizeof(*m));
    inverse = negative_inverse(m[0]);
    // R - m is R modulo m, because m is at least R / 2.
    memset(one, 0, sizeof(one));
    subtract_number(one, m, n);
    memcpy(r2, one, sizeof(r2));
    for (size_t i = 0; i < 64 * n; i++) twice(r2);
}

void Modulus::twice(uint64_t *a) const {
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t out = a[i] >> 63;
        a[i] = a[i] << 1 | carry;
        carry = out;
    }
    subtract_if_not_less(a, carry, m, n);
}

// The products of a row with a and m go on side by side, so that their carries do not wait for each other.
void Modulus::multiply(const uint64_t *a, const uint64_t *b, uint64_t *product) const {
    uint64_t sum[MOST / 2 + 1] = {};
    for (size_t i = 0; i < n; i++) {
        Wide x = Wide(a[0]) * b[i] + sum[0];
        const uint64_t quotient = uint64_t(x) * inverse;
        Wide y = Wide(m[0]) * quotient + uint64_t(x);
        for (size_t j = 1; j < n; j++) {
            x = Wide(a[j]) * b[i] + sum[j] + uint64_t(x >> 64);
            y = Wide(m[j]) * quotient + uint64_t(x) + uint64_t(y >> 64);
            sum[j - 1] = uint64_t(y);
        }
        const Wide top = Wide(sum[n]) + uint64_t(x >> 64) + uint64_t(y >> 64);
        sum[n - 1] = uint64_t(top);
        sum[n] = uint64_t(top >> 64);
    }
    subtract_if_not_less(sum, sum[n], m, n);
    memcpy(product, sum, n * sizeof(*product));
    wipe(sum, sizeof(sum));
}

// A row of multiply(), of fewer bits: the multiple of m makes the lowest ones zeros.
void Modulus::shift_down(uint64_t *a, unsigned bits) const {
    const uint64_t quotient = a[0] * inverse & ((uint64_t(1) << bits) - 1), top = add_multiple(a, m, quotient, n);
    for (size_t i = 0; i < n; i++) a[i] = a[i] >> bits | (i + 1 < n ? a[i + 1] : top) << (64 - bits);
}

void Modulus::leave(const uint64_t *in, uint64_t *a) const {
    uint64_t unit[MOST / 2] = {1};
    multiply(in, unit, a);
}

void Modulus::raise(const uint64_t *a, const uint64_t *exponent, uint64_t *power) const {
    uint64_t result[MOST / 2], more[MOST / 2];
    memcpy(result, one, n * sizeof(*result));
    for (size_t bit = 64 * n; bit--;) {
        multiply(result, result, result);
        multiply(result, a, more);
        choose(result, more, result, 0 - (exponent[bit / 64] >> bit % 64 & 1), n);
    }
    memcpy(power, result, n * sizeof(*power));
    wipe(result, sizeof(result));
    wipe(more, sizeof(more));
}

}  // namespace cst
