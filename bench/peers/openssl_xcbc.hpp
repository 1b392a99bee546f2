// AES-XCBC-MAC (RFC 3566), which libcrypto does not have, out of its AES-CBC.
#pragma once

#include "libcrypto.hpp"

namespace bench {

// One key.
class Xcbc {
public:
    explicit Xcbc(const Libcrypto &crypto) : crypto_(crypto) {}
    Xcbc(const Xcbc &) = delete;
    ~Xcbc() { crypto_.EVP_CIPHER_CTX_free(ctx_); }
    bool prepare(const uint8_t *key);
    // 16 bytes of tag; at least a byte of data.
    bool run(const uint8_t *data, size_t bytes, uint8_t *tag);

private:
    const Libcrypto &crypto_;
    EVP_CIPHER_CTX *ctx_ = nullptr;
    uint8_t whole_[16], padded_[16]; // K2, K3: what the last block is mixed with
    uint8_t sealed_[4096];           // the ciphertext, which nobody wants
};

} // namespace bench
