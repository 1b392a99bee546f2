// Numbers of 256 bits modulo an odd number m above 2^255, as a 2^256 mod m stands for a (P. L. Montgomery, Modular
// Multiplication Without Trial Division, 1985). No branch and no address depends on a number.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

constexpr size_t NUMBER256_BYTES = 32;

// The lowest word first.
struct Number256 {
    uint64_t word[4];
};

// Below, "number" is one below m; where `plain` is said, it stands for itself. Functions that return a bool return 1
// or 0 in constant time.
class Modulus256 {
public:
    // m: odd, above 2^255; for inversions a prime.
    explicit Modulus256(const Number256 &m);

    const Number256 &modulus() const { return m_; }
    const Number256 &one() const { return one_; }
    Number256 from_plain(const Number256 &plain) const { return product(plain, square_); }
    Number256 to_plain(const Number256 &a) const { return product(a, {{1, 0, 0, 0}}); }
    // a b / 2^256 mod m, of one plain factor and one not hence the plain product. a may be any 256 bits.
    Number256 product(const Number256 &a, const Number256 &b) const;
    Number256 sum(const Number256 &a, const Number256 &b) const;
    Number256 difference(const Number256 &a, const Number256 &b) const;
    Number256 negative(const Number256 &a) const { return difference({{0, 0, 0, 0}}, a); }
    // a to a public plain exponent.
    Number256 power(const Number256 &a, const Number256 &exponent) const;
    // Sets a[i] = 1 / a[i], and 0 where a[i] is 0, for all n with one inversion (P. L. Montgomery, "Speeding the
    // Pollard and elliptic curve methods of factorization", 1987). products, of n, is overwritten.
    void invert(Number256 *a, Number256 *products, size_t n) const;
    // carry 2^256 + a, which is below 2 m, modulo m.
    Number256 reduced(const Number256 &a, uint64_t carry = 0) const;
    bool is_reduced(const Number256 &a) const;

private:
    Number256 m_, one_, square_;  // 2^256 and 2^512 mod m
    uint64_t factor_;             // -1 / m mod 2^64
};

// Returns all ones if a is 0, else 0.
uint64_t is_zero(const Number256 &a);
inline uint64_t is_odd(const Number256 &a) { return a.word[0] & 1; }
// Returns a where mask is all ones, b where it is 0.
inline Number256 chosen(uint64_t mask, const Number256 &a, const Number256 &b) {
    const auto word = [&](size_t i) { return (a.word[i] & mask) | (b.word[i] & ~mask); };
    return {{word(0), word(1), word(2), word(3)}};
}
// 32 bytes, big-endian.
Number256 number256_from_bytes(const uint8_t *bytes);
void put_number256(const Number256 &a, uint8_t *bytes);

}  // namespace cst
