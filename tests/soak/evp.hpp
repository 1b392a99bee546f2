// libcrypto, one object for each key. What it refuses is a mistake of the soak: an exception.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>

#include "random.hpp"

namespace soak {

// Throws with libcrypto's reason.
[[noreturn]] void fail_evp(const char *what);

// A cipher without authentication. The text is whole: XTS needs it so.
class Cipher {
public:
    Cipher(const std::string &name, const uint8_t *key, size_t key_bytes, bool encrypts = true);
    void crypt(const Bytes &iv, const uint8_t *in, size_t n, uint8_t *out);

private:
    std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> ctx_;
};

// GCM, CCM, ChaCha20-Poly1305.
class Aead {
public:
    Aead(const std::string &name, bool ccm, const Bytes &key);
    void seal(const Bytes &iv, const Bytes &aad, const Bytes &text, Bytes *out, size_t tag_bytes, Bytes *tag);

private:
    const Bytes key_;
    const bool ccm_;
    std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> ctx_;
};

class Digest {
public:
    explicit Digest(const std::string &name);
    // Of an extendable-output function MOST bytes.
    Bytes of(const Bytes &message);

private:
    static constexpr size_t MOST = 64;

    const EVP_MD *md_;
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> ctx_;
};

// HMAC with a hash, CMAC with a cipher in CBC mode.
class Mac {
public:
    Mac(const char *name, const std::string &of, const Bytes &key);
    void begin();
    void add(const uint8_t *bytes, size_t n);
    void add(const Bytes &bytes) { add(bytes.data(), bytes.size()); }
    Bytes end();

private:
    const Bytes key_;
    std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> ctx_;
};

}  // namespace soak
