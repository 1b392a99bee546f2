// The end of a hashed message, and words to bytes, as the algorithm record says.
#pragma once

#include "../select/variant.hpp"

namespace cst {

// `block` holds the last `used` bytes of a message of `message_bytes` bytes, starting at a block boundary. Appends 0x80, zeros and the
// length; returns the number of bytes, a multiple of the block. Room for used + 1 + length bytes, rounded up, and PAD_SLACK bytes more is needed.
constexpr size_t PAD_SLACK = 16;
size_t hash_pad(const AlgorithmRecord &hash, uint8_t *block, size_t used, uint64_t message_bytes);

// A chaining value is `words` words in host order, one after the other, in 64 bytes.
void hash_initial(const AlgorithmRecord &hash, uint8_t *chain);
// The first n bytes of the hash's result, at most DIGEST_ROOM.
constexpr size_t DIGEST_ROOM = 64;
void hash_digest(const AlgorithmRecord &hash, const uint8_t *chain, uint8_t *to, size_t n);

}  // namespace cst
