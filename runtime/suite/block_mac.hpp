// The subkeys of CMAC (SP 800-38B) and XCBC (RFC 3566), with which the last block is masked.
#pragma once

#include "key.hpp"

namespace cst {

// The round keys and the masks of `out`.
void expand_block_mac(const Suite &suite, const uint8_t *key, Key *out);
// Fills up and masks the last block of a message that ends with `bytes` bytes at `end`. Returns how many bytes, whole
// blocks, are there then.
size_t mask_end(const Key &key, uint8_t *end, size_t bytes);

}  // namespace cst
