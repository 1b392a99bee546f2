// Numbers modulo L, the order of edwards25519's base point (RFC 8032, 5.1), of four words of 64 bits, the lowest first.
// No branch and no address depends on a number.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

struct Scalar25519 {
    uint64_t word[4];
};

// Reads 32 bytes, little-endian.
Scalar25519 scalar_from_bytes(const uint8_t *bytes);
void put_scalar(const Scalar25519 &a, uint8_t *bytes);
// Whether a < L: of numbers that are public.
bool is_reduced(const Scalar25519 &a);
// Reduces 64 bytes, little-endian, modulo L.
Scalar25519 reduced(const uint8_t *bytes);
// Returns (a b + c) modulo L, of any three numbers below 2^256.
Scalar25519 multiply_add(const Scalar25519 &a, const Scalar25519 &b, const Scalar25519 &c);
// Writes a as 256 / bits digits from -2^(bits - 1) to 2^(bits - 1) - 1, the lowest first; bits: up to 8. a is below L.
void put_digits(const Scalar25519 &a, unsigned bits, int8_t *digits);

}  // namespace cst
