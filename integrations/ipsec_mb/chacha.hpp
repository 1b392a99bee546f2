// ChaCha20-Poly1305 in steps that share a context of the caller's (RFC 8439), and Poly1305 alone. What a context holds
// between the steps is this library's own matter.
#pragma once

#include "library.hpp"

namespace cst::imb {

// key: 32 bytes, iv: 12. Lengths of 0 need no buffers. False: there was no memory, or none that may be executed; then
// the output is zeros, and the message has no tag any more: each further step fails, and the tag becomes zeros.
[[nodiscard]] bool chacha_begin(const void *key, chacha20_poly1305_context_data *context, const uint8_t *iv,
                                const uint8_t *aad, uint64_t aad_bytes);
[[nodiscard]] bool chacha_text(const void *key, chacha20_poly1305_context_data *context, uint8_t *out,
                               const uint8_t *in, uint64_t bytes, bool opens);
// Wipes the context.
[[nodiscard]] bool chacha_end(chacha20_poly1305_context_data *context, uint8_t *tag, uint64_t tag_bytes);

// The tag of a message whose ciphertext is there; key_stream: its first 32 bytes (2.6).
void chacha_tag(const uint8_t *key_stream, const uint8_t *aad, uint64_t aad_bytes, const uint8_t *ciphertext,
                uint64_t bytes, uint8_t *tag);
// Poly1305 of any message (2.5); key: 32 bytes.
void poly1305(const uint8_t *key, const uint8_t *data, uint64_t bytes, uint8_t *tag);

// Adds `bytes` of the keystream from that block on to `in` (2.4). False: it could not be done, and nothing was written.
[[nodiscard]] bool key_stream(const void *key, const uint8_t *nonce, uint64_t block, const uint8_t *in, uint8_t *out,
                              uint64_t bytes);

// The functions of the manager.
void set_chacha_functions(IMB_MGR *manager);

}  // namespace cst::imb
