// The AES key schedule (FIPS 197, 5.2), without a table: AES-NI does the S-box.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

constexpr uint32_t AES_LEAST_ROUNDS = 10, AES_MOST_ROUNDS = 14;

// `rounds` + 1 round keys in order. key_bytes: 16, 24 or 32; rounds = 6 + key_bytes / 4. Needs the CPU feature "aes".
void aes_expand(const uint8_t *key, uint32_t key_bytes, uint8_t (*round_keys)[16]);

// The round keys of the equivalent inverse cipher (FIPS 197, 5.3.5), in the order of use.
void aes_invert(const uint8_t (*round_keys)[16], uint32_t rounds, uint8_t (*inverse)[16]);

// One block; for what is not worth a kernel.
void aes_encrypt(const uint8_t (*round_keys)[16], uint32_t rounds, const uint8_t *in, uint8_t *out);

// So many blocks in CBC mode, of which `chain` is what the first is added to; then it is the last block that came out. For what is not worth a kernel.
void aes_cbc_encrypt(const uint8_t (*round_keys)[16], uint32_t rounds, uint8_t *chain, const uint8_t *in, uint8_t *out, size_t n);

// So many counter blocks (SP 800-38D, 6.5), of which `counter` is the first and the last 32 bits count; for what is not worth a kernel.
void aes_counter_blocks(const uint8_t (*round_keys)[16], uint32_t rounds, const uint8_t *counter, size_t n, uint8_t (*out)[16]);

}  // namespace cst
