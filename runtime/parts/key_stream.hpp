// Enciphers under the cipher key of an AEAD, by the suite of the cipher alone.
#pragma once

#include "../suite/key.hpp"
#include "../executors/copy.hpp"

namespace cst {

// The last 32 bits of a counter block, big-endian, which GCM counts without a carry (SP 800-38D, 6.2).
inline uint32_t counter_word(const uint8_t *counter) { return load_big_endian(counter + 12); }
inline void count_on(uint8_t *counter, uint64_t blocks) {
    const uint32_t word = __builtin_bswap32(counter_word(counter) + uint32_t(blocks));
    memcpy(counter + 12, &word, sizeof(word));
}

// round_keys: as an AEAD's key has them. `cipher`: the suite of AES in counter mode, or of ChaCha20. iv: the first
// counter block. out == in.data is allowed. Returns CST_OK, CST_ERR_UNSUPPORTED (`cipher` is NULL, or another), or
// CST_ERR_MEMORY; then nothing was written.
[[nodiscard]] int add_key_stream(const Suite *cipher, const void *round_keys, const uint8_t *iv, Bytes in,
                                 uint8_t *out);

}  // namespace cst
