// Public-key operations for applications that run ASYNC jobs: algorithms that stand in front of those of `default`, and
// the library's operations, which run jobs in bursts.
#pragma once

#include "async_bursts.hpp"
#include "originals.hpp"

namespace cst::ossl {

enum PkId {
    PK_X25519,
    PK_ECDH_P256,
    PK_ED25519_SIGN,
    PK_ED25519_VERIFY,
    PK_ECDSA_SIGN,
    PK_ECDSA_SIGN_DIGEST,
    PK_ECDSA_VERIFY,
    PK_ECDSA_VERIFY_DIGEST,
    PK_RSA_PRIVATE,
    PK_RSA_PKCS1_SHA256,
    PK_RSA_PKCS1_SHA256_DIGEST,
    PK_RSA_PKCS1_SHA384,
    PK_RSA_PKCS1_SHA384_DIGEST,
    PK_RSA_PKCS1_SHA512,
    PK_RSA_PKCS1_SHA512_DIGEST,
    PK_RSA_PSS_SHA256,
    PK_RSA_PSS_SHA256_DIGEST,
    PK_IDS
};

// Each provider has one object.
class PublicKeys {
public:
    explicit PublicKeys(const ErrorQueue &errors) : errors_(errors), bursts_(libcrypto_, errors_) {}
    ~PublicKeys();
    PublicKeys(const PublicKeys &) = delete;
    PublicKeys &operator=(const PublicKeys &) = delete;

    // one_of_its: a function of the libcrypto that loads the provider. Returns false, and offers nothing, where that
    // lacks a function, or memory ran out.
    bool start(cst_ctx *context, const void *one_of_its);

    // An empty list if nothing is offered.
    const OSSL_ALGORITHM *keys() const { return keys_; }
    const OSSL_ALGORITHM *exchanges() const { return exchanges_; }
    const OSSL_ALGORITHM *signatures() const { return signatures_; }
    // Hands on, as OSSL_FUNC_provider_get_capabilities, those of `default` that are for keys which are offered here:
    // libssl takes a group from the provider that has its keys.
    bool capabilities(const char *name, OSSL_CALLBACK *each, void *argument) const;
    const Originals &originals() const { return originals_; }
    const AsyncBursts &bursts() const { return bursts_; }
    const ErrorQueue &errors() const { return errors_; }

    // Whether a job of the operation can be run by `run` now.
    bool can_run(PkId id) const { return operations_[id] && bursts_.can_wait(); }
    // Whether the job was run, without an error.
    bool run(PkId id, cst_pk_job *job) const { return !bursts_.run(operations_[id], job); }
    // Makes a key for RSA's operations; *key is NULL if this CPU, or this key, has no use for one. Returns false if
    // there was no memory.
    bool prepare(const uint8_t *der, size_t bytes, cst_pk_key **key) const;

private:
    const ErrorQueue errors_;
    Libcrypto libcrypto_ = {};
    Originals originals_;
    AsyncBursts bursts_;
    cst_pk *operations_[PK_IDS] = {};
    OSSL_ALGORITHM keys_[5] = {}, exchanges_[3] = {}, signatures_[4] = {};
};

// The functions that libcrypto calls in the place of an original's: the own ones, and of the others those that take
// nothing which the provider has wrapped.
struct Front {
    const OSSL_DISPATCH *own;  // without an equal in the original they are left out, unless they are `added`
    bool (*added)(int id);
    bool (*handed_on)(int id);
};
inline bool none(int) { return false; }
extern const Front KEY_MANAGEMENT[4], EXCHANGE[2], SIGNATURE[3];

}  // namespace cst::ossl
