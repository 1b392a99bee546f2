// The powers of GHASH's key (SP 800-38D, 6.4).
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

// rows[i] = H^(count - i), in the form in which streams/ghash.j2 wants it: bytes reversed, divided by x. Needs the CPU
// feature "pclmul".
void ghash_powers(const uint8_t *h, uint32_t count, uint8_t (*rows)[16]);

// Of each row both halves added up, twice.
void ghash_folded(const uint8_t (*rows)[16], uint32_t count, uint8_t (*folded)[16]);

// H^36 .. H and the same folded; then H^16, H^12, H^8 and H^4, each four times, and the same of these folded. Needs
// "avx512f" and "vpclmulqdq".
void ghash_powers_wide(const uint8_t *h, uint8_t (*rows)[16], uint8_t (*folded)[16], uint8_t (*lanes)[16],
                       uint8_t (*lanes_folded)[16]);

// Y goes on with some blocks; for what is not worth a kernel. powers_end: behind the last of at least eight such rows.
// Needs "pclmul" and "ssse3".
void ghash_blocks(const uint8_t (*powers_end)[16], uint8_t *y, const uint8_t *data, size_t blocks);

// The same with so many bytes, filled up with zeros, of at least one block and no more than there are powers.
void ghash_part(const uint8_t (*powers_end)[16], uint8_t *y, const uint8_t *data, size_t bytes);

// What is left of a message: AAD and text, both filled up with zeros, and the lengths of all of either in bytes (7.1,
// step 5).
struct GhashEnd {
    const uint8_t *aad;
    size_t aad_bytes;
    const uint8_t *text;
    size_t text_bytes;
    uint64_t aad_length, text_length;
};

// The same with the end of a message, of no more blocks than there are powers.
void ghash_end(const uint8_t (*powers_end)[16], uint8_t *y, const GhashEnd &end);

}  // namespace cst
