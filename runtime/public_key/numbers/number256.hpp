// Numbers modulo an odd number m from 2^255 to 2^256, as a 2^260 mod m stands for a (P. L. Montgomery, Modular
// Multiplication Without Trial Division, 1985): as the kernels of P-256 in vectors have them. No branch and no address
// depends on a number.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

constexpr size_t NUMBER256_BYTES = 32;

// Stands for itself; the lowest word first.
struct Number256 {
    uint64_t word[4];
};
// Below 2 m, in limbs of 52 bits.
struct Residue256 {
    uint64_t limb[5];
};

class Modulus256 {
public:
    // m: for inversions a prime.
    explicit Modulus256(const Number256 &m);

    const Number256 &modulus() const { return m_; }
    const Residue256 &one() const { return one_; }
    Residue256 from_plain(const Number256 &a) const;
    // Returns the number below m.
    Number256 to_plain(const Residue256 &a) const { return times({{1, 0, 0, 0}}, a); }
    // Returns the product of a number that stands for itself and another one, below m.
    Number256 times(const Number256 &a, const Residue256 &b) const;
    Residue256 product(const Residue256 &a, const Residue256 &b) const;
    Residue256 sum(const Residue256 &a, const Residue256 &b) const;
    Residue256 difference(const Residue256 &a, const Residue256 &b) const;
    Residue256 negative(const Residue256 &a) const { return difference({{0, 0, 0, 0, 0}}, a); }
    // Returns the limbs of the number below m, of one below 4 m.
    Residue256 canonical(const Residue256 &a) const;
    // Kernels in general registers have words of 64 bits, where a 2^256 mod m stands for a. Return that number, below
    // m; and what any words stand for.
    Number256 to_words(const Residue256 &a) const;
    Residue256 from_words(const Number256 &a) const;
    // Returns all ones if a is 0 modulo m, else 0.
    uint64_t is_zero(const Residue256 &a) const;
    // a to a public exponent.
    Residue256 power(const Residue256 &a, const Number256 &exponent) const;
    // Sets a[i] = 1 / a[i], and 0 where a[i] is 0, for all n with one inversion (P. L. Montgomery, "Speeding the
    // Pollard and elliptic curve methods of factorization", 1987). products, of n, is overwritten.
    void invert(Residue256 *a, Residue256 *products, size_t n) const;

    // For numbers in plain form, not Montgomery's: the first subtracts m from a number that is not below it, the second
    // says whether a number is below m.
    Number256 reduced(const Number256 &a) const;
    bool is_reduced(const Number256 &a) const;
    // m - a, of a up to m
    Number256 less(const Number256 &a) const;

private:
    template <bool MINUS_ONE>
    Residue256 product_of(const Residue256 &a, const Residue256 &b) const;

    Number256 m_;
    Residue256 limbs_, twice_, one_, square_, cube_;  // m, 2 m, 2^260, 2^520 and 2^780 mod m
    Residue256 word_one_, word_factor_;               // 2^256 and 2^264 mod m
    uint64_t factor_;                                 // -1 / m mod 2^52
};

uint64_t is_zero(const Number256 &a);  // all ones, or 0
bool is_below(const Number256 &a, const Number256 &b);
inline uint64_t is_odd(const Number256 &a) { return a.word[0] & 1; }
// Return a where mask is all ones, b where it is 0.
inline Number256 chosen(uint64_t mask, const Number256 &a, const Number256 &b) {
    const auto word = [&](size_t i) { return (a.word[i] & mask) | (b.word[i] & ~mask); };
    return {{word(0), word(1), word(2), word(3)}};
}
inline Residue256 chosen(uint64_t mask, const Residue256 &a, const Residue256 &b) {
    const auto limb = [&](size_t i) { return (a.limb[i] & mask) | (b.limb[i] & ~mask); };
    return {{limb(0), limb(1), limb(2), limb(3), limb(4)}};
}
// 32 bytes, big-endian.
Number256 number256_from_bytes(const uint8_t *bytes);
void put_number256(const Number256 &a, uint8_t *bytes);

}  // namespace cst
