// Reads secret and public keys out of the key objects of `default`, in the form that the library's operations take.
#pragma once

#include <memory>

#include "public_keys.hpp"
#include "public_key/rsa_key.hpp"
#include "public_key/numbers/p256.hpp"

namespace cst::ossl {

constexpr size_t CURVE_BYTES = 32;   // of secret keys, and of the public keys of Curve25519 and Ed25519

// These leave no error on the queue.

// Reads the parameter `name`, CURVE_BYTES long. False if the key has another number of bytes, or none, there.
bool get_octets(const ErrorQueue &errors, Algorithm keys, void *key, const char *name, uint8_t *to);

bool is_p256(const ErrorQueue &errors, void *key);
// Big-endian.
bool get_p256_secret(const ErrorQueue &errors, void *key, uint8_t (&to)[CURVE_BYTES]);
// Sets *bytes to P256_COMPRESSED or P256_POINT.
bool get_p256_public(const ErrorQueue &errors, void *key, uint8_t (&to)[P256_POINT], size_t *bytes);

struct RsaKeyDeleter {
    void operator()(cst_pk_key *key) const { cst_pk_key_free(key); }
};
// A private key, prepared for the library's operations. `prepared` is NULL if they have no use for it.
struct PreparedRsaKey {
    std::unique_ptr<cst_pk_key, RsaKeyDeleter> prepared;
    size_t bytes = 0;  // of the modulus
    uint8_t modulus[MOST_RSA_BYTES];
};
// Prepares a key, and keeps that while the key is held, until it is freed. NULL: no memory.
std::shared_ptr<const PreparedRsaKey> rsa_key(const PublicKeys &its, void *key);
// The context of an operation has a reference to the key, and then has none any more. It may be the last one, when the
// key's owner has freed it already.
void hold_rsa_key(void *key);
void release_rsa_key(void *key);
// The owner frees it.
void forget_rsa_key(void *key);

}  // namespace cst::ossl
