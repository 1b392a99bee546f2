// Computes the AES key schedule (FIPS 197, 5.2) without a table: AES-NI does the S-box.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

constexpr uint32_t AES_LEAST_ROUNDS = 10, AES_MOST_ROUNDS = 14;

// Writes `rounds` + 1 round keys in order. key_bytes: 16, 24 or 32; rounds = 6 + key_bytes / 4. Needs the CPU feature
// "aes".
void aes_expand(const uint8_t *key, uint32_t key_bytes, uint8_t (*round_keys)[16]);

// Writes the round keys of the equivalent inverse cipher (FIPS 197, 5.3.5), in the order of use.
void aes_invert(const uint8_t (*round_keys)[16], uint32_t rounds, uint8_t (*inverse)[16]);

// Encrypts one block: H of GHASH, subkeys, masks. The processor overlaps calls, since none waits for another. Before
// many of them the caller clears the upper halves of the vector registers.
void aes_encrypt(const uint8_t (*round_keys)[16], uint32_t rounds, const uint8_t *in, uint8_t *out);

}  // namespace cst
