// Numbers modulo p = 2^255 - 19 (RFC 7748, 4.1) for what is done once an operation beside the kernels: five limbs of 51
// bits. No branch and no address depends on a number.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

// Limbs are below 2^52.
struct Number25519 {
    uint64_t limb[5];
};

// As many numbers as are inverted together at most: an inversion takes as long as some 70 products.
constexpr size_t INVERTED_TOGETHER = 64;
// How many limbs numbers have in kernels.
constexpr size_t NUMBER_WIDTHS[] = {4, 5, 10};

// The limbs of kernels (generator/cryptostitch/core/arithmetic.py): 4 of 64 bits, 5 of 52, or 10 of 26 and 25 in turn.
// Returns the bit where limb i of so many begins; of i = limbs where the last one ends.
size_t limb_start(size_t limbs, size_t i);
// Reads a number whose limbs, of up to 64 bits each, are `pitch` bytes apart.
Number25519 number_from_limbs(const uint8_t *rows, size_t limbs, size_t pitch);
// Writes 32 bytes, little-endian, as limbs. The last one gets all that is left of 256 bits.
void put_limbs(const uint8_t *bytes, uint8_t *rows, size_t limbs, size_t pitch);

// Writes 32 bytes, little-endian, of the number below p.
void put_number(const Number25519 &a, uint8_t *bytes);
// Reads 32 bytes, little-endian; the highest bit does not count.
Number25519 number_from_bytes(const uint8_t *bytes);
Number25519 product(const Number25519 &a, const Number25519 &b);
Number25519 sum(const Number25519 &a, const Number25519 &b);
Number25519 difference(const Number25519 &a, const Number25519 &b);
// Returns the lowest bit of the number below p.
uint64_t is_odd(const Number25519 &a);
// Returns all ones if a is 0 modulo p, else 0.
uint64_t is_zero(const Number25519 &a);
// Sets z[i] = 1 / z[i], and 0 where z[i] is 0, for all n with one inversion, of the product of all z (P. L. Montgomery,
// "Speeding the Pollard and elliptic curve methods of factorization", 1987). products, of n, is overwritten.
void invert(Number25519 *z, Number25519 *products, size_t n);

}  // namespace cst
