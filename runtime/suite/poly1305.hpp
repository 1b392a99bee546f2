// Computes Poly1305 (RFC 8439, 2.5) around its kernels: the key, the powers of r that some kernels need, and the tag.
// Time does not depend on the values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../code/pack.hpp"

namespace cst {

// The accumulator is three words of 64 bits, at most 131 bits altogether, as in streams/poly1305.j2; r is clamped.
struct PolyKey {
    uint64_t r[2];
    uint8_t s[16];
};

// Makes the key from the first 32 bytes of a keystream (RFC 8439, 2.6).
void poly1305_key(const uint8_t *bytes, PolyKey *out);
void poly1305_tag(const PolyKey &key, const uint64_t *accumulator, uint8_t *tag);

// Returns the number of key rows (16 bytes each) of that form; 0: it is not one of Poly1305.
uint32_t poly1305_rows(KeyForm form);
constexpr uint32_t POLY_MOST_ROWS = 27;
// Writes the key rows of that form.
void poly1305_powers(const PolyKey &key, KeyForm form, uint8_t *to);

}  // namespace cst
