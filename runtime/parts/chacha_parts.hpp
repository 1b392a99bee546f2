// A message of ChaCha20-Poly1305 that comes in parts (RFC 8439, 2.8).
#pragma once

#include "../suite/suite.hpp"
#include "../executors/copy.hpp"
#include "poly_parts.hpp"

namespace cst {

// What the calls for a message need of its key, the same in all of them.
struct ChaChaKey {
    const Suite &aead;    // ChaCha20-Poly1305
    const Suite *cipher;  // ChaCha20 alone
    const void *bytes;    // 32
};

// Callers clear the registers.
class ChaChaParts {
public:
    static constexpr size_t NONCE = 12, TAG = 16;

    // Begins a message. Returns false if the call failed.
    bool begin(const ChaChaKey &key, const uint8_t *nonce);
    // Returns false if there is too much AAD, or text came already.
    bool aad(const ChaChaKey &key, Bytes data);
    // Returns false if the text is too long, or the call failed. out == in.data is allowed.
    bool text(const ChaChaKey &key, Bytes in, uint8_t *out, bool opens);
    // Ends the message, and writes its tag.
    void tag(const ChaChaKey &key, uint8_t *to);

    uint64_t aad_bytes() const { return aad_bytes_; }
    uint64_t text_bytes() const { return text_bytes_; }
    // Whether a message can have these counts. Memory that callers may have changed is checked by this.
    bool is_sound() const;

private:
    bool encipher(const ChaChaKey &key, Bytes in, uint8_t *out);
    bool add_blocks(const ChaChaKey &key, Bytes in, uint8_t *out);

    PolyParts poly_;
    uint8_t nonce_[NONCE] = {}, stream_[CHACHA_BLOCK] = {};  // of the block that was begun
    uint32_t block_ = 0;  // that comes next
    uint64_t aad_bytes_ = 0, text_bytes_ = 0;
};

}  // namespace cst
