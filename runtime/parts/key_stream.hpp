// Enciphers under the cipher key of an AEAD, by the suite of the cipher alone.
#pragma once

#include "../suite/key.hpp"
#include "../executors/copy.hpp"

namespace cst {

// round_keys: as an AEAD's key has them. `cipher`: the suite of AES in counter mode, or of ChaCha20. iv: the first
// counter block. out == in.data is allowed. Returns CST_OK, CST_ERR_UNSUPPORTED (`cipher` is NULL, or another), or
// CST_ERR_MEMORY; then nothing was written.
[[nodiscard]] int add_key_stream(const Suite *cipher, const void *round_keys, const uint8_t *iv, Bytes in,
                                 uint8_t *out);

}  // namespace cst
