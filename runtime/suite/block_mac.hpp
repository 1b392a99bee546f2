// Computes the subkeys of CMAC (SP 800-38B) and XCBC (RFC 3566), which mask the last block.
#pragma once

#include "key.hpp"

namespace cst {

// Sets the round keys and the masks of `out`.
void expand_block_mac(const Suite &suite, const uint8_t *key, Key *out);
// Pads and masks the last block of a message that ends with `bytes` bytes at `end`. Returns the padded length, whole
// blocks.
size_t mask_end(const Key &key, uint8_t *end, size_t bytes);

}  // namespace cst
