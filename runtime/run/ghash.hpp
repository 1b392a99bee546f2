// GHASH (SP 800-38D, 6.4) of what stands alone: AAD, long IVs, lengths, and what strides leave of a text.
#pragma once

#include "../suite/suite.hpp"

namespace cst {

// Y goes on with so many bytes, filled up with zeros to whole blocks, by one call of a kernel. `suite` is one of GCM;
// powers_end: behind H of a key's powers (suite/ghash.hpp), where GHASH_ZEROS rows of zeros follow.
void ghash(const Suite &suite, const uint8_t (*powers_end)[16], uint8_t *y, const void *data, uint64_t bytes);

// The same with one block, of the lengths of AAD and text in bytes (7.1, step 5), whose tag or counter block it makes.
void ghash_lengths(const Suite &suite, const uint8_t (*powers_end)[16], uint8_t *y, uint64_t aad, uint64_t text);

}  // namespace cst
