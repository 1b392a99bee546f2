// Computes DES's key schedule (FIPS 46-3, appendix 1; SP 800-67), without a table that the key indexes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

constexpr uint32_t DES_KEY = 8, DES_BLOCK = 8, DES_ROUNDS = 16;
constexpr uint32_t DES_MOST_ROWS = 3 * DES_ROUNDS / 2;  // two round keys of 8 bytes in each

// Writes the round keys of DES (8 bytes of key) or of encryption, decryption and encryption by three keys (24), in the
// order in which encryption uses them and the form that streams/des.j2 reads. Parity bits are ignored.
void des_expand(const uint8_t *key, uint32_t key_bytes, uint8_t (*rows)[16]);

// Writes the round keys of decryption, likewise.
void des_invert(const uint8_t (*rows)[16], uint32_t key_bytes, uint8_t (*inverse)[16]);

}  // namespace cst
