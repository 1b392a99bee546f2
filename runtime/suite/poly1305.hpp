// Poly1305 (RFC 8439, 2.5) without kernels: short texts, the powers of r that kernels want, and the tag. Time depends
// on lengths alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

// The accumulator is three words of 64 bits, at most 131 bits altogether, as in streams/poly1305.j2; r is clamped.
struct PolyKey {
    uint64_t r[2];
    uint8_t s[16];
};

// From the first 32 bytes of a keystream (RFC 8439, 2.6).
void poly1305_key(const uint8_t *bytes, PolyKey *out);
// Adds whole blocks.
void poly1305_blocks(const PolyKey &key, uint64_t *accumulator, const uint8_t *in, uint64_t blocks);
void poly1305_tag(const PolyKey &key, const uint64_t *accumulator, uint8_t *tag);

// The key rows of a kernel that has so many of them (16 bytes each): the number says the form. False for one that is
// not known.
constexpr uint32_t POLY_MOST_ROWS = 27, POLY_ABREAST_ROWS = 1;  // streams/poly1305_abreast.j2: r itself
bool poly1305_powers(const PolyKey &key, uint32_t rows, uint8_t *to);

}  // namespace cst
