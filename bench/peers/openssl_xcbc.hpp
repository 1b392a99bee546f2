// AES-XCBC (RFC 3566), which EVP does not have, of its AES-128-CBC: what is beside that is an exclusive-or per message.
#pragma once

#include <openssl/evp.h>

#include <cstddef>
#include <cstdint>

namespace bench {

class OpensslXcbc {
public:
    OpensslXcbc() = default;
    OpensslXcbc(const OpensslXcbc &) = delete;
    ~OpensslXcbc() { EVP_CIPHER_CTX_free(cbc_); }
    bool prepare(const uint8_t *key);
    // 16 bytes of tag; at least a byte of data.
    bool run(const uint8_t *data, size_t bytes, uint8_t *tag);

private:
    EVP_CIPHER_CTX *cbc_ = nullptr;
    uint8_t whole_[16], filled_[16];  // K2 and K3
    uint8_t scratch_[4096];           // the ciphertext, which nobody wants
};

} // namespace bench
