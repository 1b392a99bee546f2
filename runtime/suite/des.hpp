// Computes DES's key schedule (FIPS 46-3, appendix 1; SP 800-67), without a table that the key indexes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

constexpr uint32_t DES_KEY = 8, DES_BLOCK = 8, DES_ROUNDS = 16;
constexpr uint32_t DES_FORMS = 2;  // of a key's rows: that of streams/des.j2, then that of streams/des_sliced.j2

// Returns how many rows of 16 bytes a key has: two round keys of 8 bytes in each, in both forms.
constexpr uint32_t des_rows(uint32_t key_bytes) { return DES_FORMS * key_bytes / DES_KEY * DES_ROUNDS / 2; }
constexpr uint32_t DES_MOST_ROWS = des_rows(3 * DES_KEY);

// Writes the round keys of DES (8 bytes of key) or of encryption, decryption and encryption by three keys (24), in the
// order in which encryption uses them: all in one form, then all in the other. Parity bits are ignored.
void des_expand(const uint8_t *key, uint32_t key_bytes, uint8_t (*rows)[16]);

// Writes the round keys of decryption, likewise.
void des_invert(const uint8_t (*rows)[16], uint32_t key_bytes, uint8_t (*inverse)[16]);

}  // namespace cst
