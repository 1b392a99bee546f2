// Signatures in bursts. Functions return false if a job was not run, or has an error: then the original is called.
#pragma once

#include "operation.hpp"

namespace cst::ossl {

// A message, or its digest.
struct Signed {
    const uint8_t *data;
    size_t bytes;
    bool is_digest;
};

// A context has a reference to a key, and then has none any more.
struct NoKeysKept {
    static void hold(void *) {}
    static void release(void *) {}
};

struct Ed25519Signer : NoKeysKept {
    static constexpr Algorithm ORIGINAL = ED25519_SIGNATURE;
    static bool sign(const OperationContext &context, Signed what, uint8_t *signature, size_t *bytes, size_t room);
    static bool verify(const OperationContext &context, Signed what, const uint8_t *signature, size_t bytes);
};

// With P-256, and of messages with SHA-256. Nonces are those of RFC 6979 with SHA-256.
struct EcdsaSigner : NoKeysKept {
    static constexpr Algorithm ORIGINAL = ECDSA_SIGNATURE;
    static bool sign(const OperationContext &context, Signed what, uint8_t *signature, size_t *bytes, size_t room);
    static bool verify(const OperationContext &context, Signed what, const uint8_t *signature, size_t bytes);
};

// PKCS #1 v1.5, and PSS with SHA-256 and a salt as long as that. Signatures are verified by the original.
struct RsaSigner {
    static constexpr Algorithm ORIGINAL = RSA_SIGNATURE;
    static bool sign(const OperationContext &context, Signed what, uint8_t *signature, size_t *bytes, size_t room);
    static bool verify(const OperationContext &, Signed, const uint8_t *, size_t) { return false; }
    static void hold(void *key);
    static void release(void *key);
};

}  // namespace cst::ossl
