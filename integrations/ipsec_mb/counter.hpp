// Counter mode on the library's kernels, and single blocks, with round keys of a caller's.
#pragma once

#include "library.hpp"

namespace cst::imb {

constexpr size_t BLOCK = 16;

// Enciphers `blocks` whole blocks; the last 32 bits of the counter block count, without a carry (SP 800-38D, 6.2), and
// it ends behind the last. out == in is allowed. False: it could not be done, or not all of it.
[[nodiscard]] bool counter_blocks(uint64_t key_bytes, const void *round_keys, uint8_t *counter, const uint8_t *in,
                                  uint8_t *out, uint64_t blocks);

// Encrypts one block. (This cannot fail: has_basic_suites() has its code.)
void encrypt_block(uint64_t key_bytes, const void *round_keys, const uint8_t *in, uint8_t *out);

}  // namespace cst::imb
