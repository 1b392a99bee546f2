// The calls of one libcrypto: the linked one's, or those of another build. Its types are opaque and its constants stay,
// so one header serves every version from 3.0.
#pragma once

#include "../peer.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

namespace bench {

#define LIBCRYPTO_CALLS(X)          \
    X(EVP_CIPHER_CTX_ctrl)          \
    X(EVP_CIPHER_CTX_free)          \
    X(EVP_CIPHER_CTX_new)           \
    X(EVP_CIPHER_CTX_set_padding)   \
    X(EVP_CIPHER_fetch)             \
    X(EVP_CIPHER_free)              \
    X(EVP_Cipher)                   \
    X(EVP_CipherFinal_ex)           \
    X(EVP_CipherInit_ex2)           \
    X(EVP_CipherUpdate)             \
    X(EVP_DigestFinalXOF)           \
    X(EVP_DigestFinal_ex)           \
    X(EVP_DigestInit_ex2)           \
    X(EVP_DigestSign)               \
    X(EVP_DigestSignInit)           \
    X(EVP_DigestUpdate)             \
    X(EVP_DigestVerify)             \
    X(EVP_DigestVerifyInit)         \
    X(EVP_MAC_CTX_free)             \
    X(EVP_MAC_CTX_new)              \
    X(EVP_MAC_fetch)                \
    X(EVP_MAC_final)                \
    X(EVP_MAC_free)                 \
    X(EVP_MAC_init)                 \
    X(EVP_MAC_update)               \
    X(EVP_MD_CTX_free)              \
    X(EVP_MD_CTX_new)               \
    X(EVP_MD_CTX_reset)             \
    X(EVP_MD_fetch)                 \
    X(EVP_MD_free)                  \
    X(EVP_PKEY_CTX_free)            \
    X(EVP_PKEY_CTX_new)             \
    X(EVP_PKEY_derive)              \
    X(EVP_PKEY_derive_init)         \
    X(EVP_PKEY_derive_set_peer)     \
    X(EVP_PKEY_free)                \
    X(EVP_PKEY_new_raw_private_key) \
    X(EVP_PKEY_new_raw_public_key)  \
    X(EVP_sha256)                   \
    X(d2i_AutoPrivateKey)           \
    X(d2i_PUBKEY)                   \
    X(OSSL_PROVIDER_load)           \
    X(RAND_bytes)                   \
    X(CRYPTO_memcmp)                \
    X(ERR_clear_error)              \
    X(OpenSSL_version)

struct Libcrypto {
#define MEMBER(name) decltype(&::name) name = nullptr;
    LIBCRYPTO_CALLS(MEMBER)
#undef MEMBER
    static Libcrypto linked();
    // False, and why: no library, or one without these calls.
    static bool load(const std::string &file, Libcrypto &crypto, std::string &error);
};

}  // namespace bench
