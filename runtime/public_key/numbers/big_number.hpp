// Numbers of many 64-bit words, the lowest first, for what is done once a key or once an operation beside the kernels
// of montgomery.j2. No branch and no address depends on a number, but on how many words it has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

constexpr size_t MOST_NUMBER_WORDS = 64;  // 4096 bits

// Reads bytes, big-endian, as n words; at most 8 n bytes.
void read_number(const uint8_t *bytes, size_t size, uint64_t *a, size_t n);
// Writes the lowest 8 n bytes, big-endian; size is at most 8 n.
void write_number(const uint64_t *a, uint8_t *bytes, size_t size);

// a += b; returns the carry. a -= b; returns the borrow.
uint64_t add_number(uint64_t *a, const uint64_t *b, size_t n);
uint64_t subtract_number(uint64_t *a, const uint64_t *b, size_t n);
// a -= b if a >= b, where `above` is the word behind a. Returns that word afterwards.
uint64_t subtract_if_not_less(uint64_t *a, uint64_t above, const uint64_t *b, size_t n);
// Return all ones if it is so, else 0.
uint64_t is_less(const uint64_t *a, const uint64_t *b, size_t n);
uint64_t is_equal(const uint64_t *a, const uint64_t *b, size_t n);
uint64_t is_one(const uint64_t *a, size_t n);
// product, of 2 n words, = a b
void multiply_numbers(const uint64_t *a, const uint64_t *b, size_t n, uint64_t *product);
// rest, of m_words words, = a modulo m, bit by bit; m is at least 2^(64 m_words - 1).
void reduce_number(const uint64_t *a, size_t words, const uint64_t *m, size_t m_words, uint64_t *rest);

// A modulus of full size: odd, and its highest bit is set. Products are a b / R modulo m, where R is 2^(64 n)
// (P. L. Montgomery, 1985). Operands are below m, and so are results, which may be in the place of operands.
struct Modulus {
    size_t n;                             // words
    uint64_t m[MOST_NUMBER_WORDS / 2];
    uint64_t inverse;                     // -1 / m modulo 2^64
    uint64_t one[MOST_NUMBER_WORDS / 2];  // R modulo m
    uint64_t r2[MOST_NUMBER_WORDS / 2];   // R^2 modulo m

    void init(const uint64_t *modulus, size_t words);
    void multiply(const uint64_t *a, const uint64_t *b, uint64_t *product) const;
    // a R and a / R modulo m
    void enter(const uint64_t *a, uint64_t *in) const { multiply(a, r2, in); }
    void leave(const uint64_t *in, uint64_t *a) const;
    // power = a^exponent R, of a R; the exponent, of n words, is secret.
    void raise(const uint64_t *a, const uint64_t *exponent, uint64_t *power) const;
    // a = a / 2^bits modulo m, of 1 to 63 bits
    void shift_down(uint64_t *a, unsigned bits) const;
    // a = 2 a modulo m
    void twice(uint64_t *a) const;
};

// Returns -1 / m modulo 2^64, of an odd m.
uint64_t negative_inverse(uint64_t m);

}  // namespace cst
