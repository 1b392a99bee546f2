#include "signers.hpp"

#include <openssl/core_names.h>
#include <openssl/rsa.h>
#include <strings.h>

#include <algorithm>

#include "der.hpp"
#include "key_material.hpp"
#include "params.hpp"
#include "public_key/rsa_padding.hpp"
#include "suite/secret.hpp"

namespace cst::ossl {
namespace {

// A copy of what is signed: a job may have to outlive the caller's memory.
class Copy {
public:
    Copy(const OperationContext &context, Signed what)
        : provider_(context.provider),
          bytes_(what.bytes),
          memory_(static_cast<uint8_t *>(provider_.allocate(std::max<size_t>(bytes_, 1)))) {
        if (memory_ && bytes_) memcpy(memory_, what.data, bytes_);
    }
    ~Copy() { provider_.release(memory_, std::max<size_t>(bytes_, 1)); }
    Copy(const Copy &) = delete;
    Copy &operator=(const Copy &) = delete;
    const uint8_t *data() const { return memory_; }  // NULL: no memory

private:
    const Provider &provider_;
    const size_t bytes_;
    uint8_t *const memory_;
};

bool run(const OperationContext &context, PkId id, Signed what, cst_pk_job *job) {
    const Copy copy(context, what);
    job->in = copy.data();
    job->in_len = what.bytes;
    return copy.data() && context.public_keys().run(id, job);
}

bool get(Algorithm of, const OperationContext &context, OSSL_PARAM *params) {
    const Speculation speculation(context.errors());
    return original<OSSL_FUNC_signature_get_ctx_params_fn>(of, OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS)(context.original,
                                                                                                   params);
}

bool is_one_of(const char *name, std::initializer_list<const char *> names) {
    return std::any_of(names.begin(), names.end(), [&](const char *other) { return !strcasecmp(name, other); });
}
bool is_sha256(const char *name) { return is_one_of(name, {"SHA256", "SHA2-256", "SHA-256"}); }

constexpr size_t NAME = 64, RAW_SIGNATURE = 64;

struct CurveKeys {
    ~CurveKeys() { wipe(this, sizeof(*this)); }
    uint8_t both[2 * CURVE_BYTES], part[CURVE_BYTES], signature[RAW_SIGNATURE], point[P256_POINT];
    size_t point_bytes;
};

}  // namespace

bool Ed25519Signer::sign(const OperationContext &context, Signed what, uint8_t *signature, size_t *bytes, size_t room) {
    if (what.is_digest || !context.plain || room < RAW_SIGNATURE || !context.public_keys().can_run(PK_ED25519_SIGN))
        return false;
    CurveKeys its;
    if (!get_octets(context.errors(), ED25519_KEYS, context.key, OSSL_PKEY_PARAM_PRIV_KEY, its.both) ||
        !get_octets(context.errors(), ED25519_KEYS, context.key, OSSL_PKEY_PARAM_PUB_KEY, its.both + CURVE_BYTES))
        return false;
    cst_pk_job job = {};
    job.key = its.both;
    job.key_len = sizeof(its.both);
    job.out = its.signature;
    job.out_cap = sizeof(its.signature);
    if (!run(context, PK_ED25519_SIGN, what, &job)) return false;
    memcpy(signature, its.signature, RAW_SIGNATURE);
    *bytes = RAW_SIGNATURE;
    return true;
}

bool Ed25519Signer::verify(const OperationContext &context, Signed what, const uint8_t *signature, size_t bytes) {
    if (what.is_digest || !context.plain || bytes != RAW_SIGNATURE || !context.public_keys().can_run(PK_ED25519_VERIFY))
        return false;
    CurveKeys its;
    if (!get_octets(context.errors(), ED25519_KEYS, context.key, OSSL_PKEY_PARAM_PUB_KEY, its.part)) return false;
    memcpy(its.signature, signature, RAW_SIGNATURE);
    cst_pk_job job = {};
    job.key = its.part;
    job.key_len = CURVE_BYTES;
    job.signature = its.signature;
    job.signature_len = RAW_SIGNATURE;
    return run(context, PK_ED25519_VERIFY, what, &job);
}

namespace {

constexpr char NONCE_TYPE[] = "nonce-type";  // of OpenSSL 3.2 and later

// Whether the library's operations take what is signed: a digest that is as long as the context says, or a message
// whose digest they make. Who signs with the nonce of RFC 6979 wants that of the context's digest; they make that of
// SHA-256.
bool takes(const OperationContext &context, Signed what) {
    char digest[NAME] = {};
    size_t bytes = 0;
    unsigned nonce_type = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, digest, sizeof(digest)),
                           OSSL_PARAM_size_t(OSSL_SIGNATURE_PARAM_DIGEST_SIZE, &bytes),
                           OSSL_PARAM_uint(NONCE_TYPE, &nonce_type), OSSL_PARAM_END};
    if (!get(ECDSA_SIGNATURE, context, params) || (nonce_type && !is_sha256(digest))) return false;
    return what.is_digest ? what.bytes && what.bytes <= 64 && (!bytes || bytes == what.bytes) : is_sha256(digest);
}

}  // namespace

bool EcdsaSigner::sign(const OperationContext &context, Signed what, uint8_t *signature, size_t *bytes, size_t room) {
    const PkId id = what.is_digest ? PK_ECDSA_SIGN_DIGEST : PK_ECDSA_SIGN;
    constexpr size_t MOST = 72;  // of the encoding
    if (room < MOST || !context.public_keys().can_run(id) || !is_p256(context.errors(), context.key) ||
        !takes(context, what))
        return false;
    CurveKeys its;
    if (!get_p256_secret(context.errors(), context.key, its.part)) return false;
    cst_pk_job job = {};
    job.key = its.part;
    job.key_len = CURVE_BYTES;
    job.out = its.signature;
    job.out_cap = RAW_SIGNATURE;
    if (!run(context, id, what, &job)) return false;
    uint8_t encoded[MOST];
    Der der(encoded, sizeof(encoded));
    der.put_integer(its.signature + 32, 32);
    der.put_integer(its.signature, 32);
    der.put_sequence();
    memcpy(signature, der.data(), der.bytes());
    *bytes = der.bytes();
    return true;
}

bool EcdsaSigner::verify(const OperationContext &context, Signed what, const uint8_t *signature, size_t bytes) {
    const PkId id = what.is_digest ? PK_ECDSA_VERIFY_DIGEST : PK_ECDSA_VERIFY;
    if (!context.public_keys().can_run(id) || !is_p256(context.errors(), context.key) || !takes(context, what))
        return false;
    CurveKeys its;
    if (!read_signature(signature, bytes, its.signature) ||
        !get_p256_public(context.errors(), context.key, its.point, &its.point_bytes))
        return false;
    cst_pk_job job = {};
    job.key = its.point;
    job.key_len = its.point_bytes;
    job.signature = its.signature;
    job.signature_len = RAW_SIGNATURE;
    return run(context, id, what, &job);
}

namespace {

constexpr size_t PSS_SALT = 32;

struct RsaScheme {
    int padding = 0, salt = 0;
    char digest[NAME] = {}, mask_digest[NAME] = {};

    explicit RsaScheme(const OperationContext &context) {
        OSSL_PARAM params[] = {
            OSSL_PARAM_int(OSSL_SIGNATURE_PARAM_PAD_MODE, &padding),
            OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, digest, sizeof(digest)),
            OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, mask_digest, sizeof(mask_digest)),
            OSSL_PARAM_int(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, &salt), OSSL_PARAM_END};
        if (!get(RSA_SIGNATURE, context, params)) padding = 0;
    }

    // PK_IDS: the library has no such operation.
    PkId operation(Signed what) const {
        const size_t bytes = digest_bytes();
        if (what.is_digest && bytes && bytes != what.bytes) return PK_IDS;
        if (padding == RSA_PKCS1_PADDING && what.is_digest && !digest[0]) return PK_RSA_PRIVATE;
        PkId found = PK_IDS;
        if (padding == RSA_PKCS1_PADDING) {
            if (bytes == 32) found = PK_RSA_PKCS1_SHA256;
            if (bytes == 48) found = PK_RSA_PKCS1_SHA384;
            if (bytes == 64) found = PK_RSA_PKCS1_SHA512;
        } else if (padding == RSA_PKCS1_PSS_PADDING && bytes == 32 && is_sha256(mask_digest) &&
                   (salt == RSA_PSS_SALTLEN_DIGEST || salt == int(PSS_SALT))) {
            found = PK_RSA_PSS_SHA256;
        }
        return found == PK_IDS ? found : PkId(found + what.is_digest);  // that of digests comes next
    }

private:
    size_t digest_bytes() const {
        if (is_sha256(digest)) return 32;
        if (is_one_of(digest, {"SHA384", "SHA2-384", "SHA-384"})) return 48;
        if (is_one_of(digest, {"SHA512", "SHA2-512", "SHA-512"})) return 64;
        return 0;
    }
};

struct RsaWork {
    uint8_t encoded[MOST_RSA_BYTES], signature[MOST_RSA_BYTES], salt[PSS_SALT];
};

}  // namespace

bool RsaSigner::sign(const OperationContext &context, Signed what, uint8_t *signature, size_t *bytes, size_t room) {
    if (!context.public_keys().can_run(PK_RSA_PRIVATE)) return false;
    const PkId id = RsaScheme(context).operation(what);
    if (id == PK_IDS || !context.public_keys().can_run(id)) return false;
    const auto key = rsa_key(context.public_keys(), context.key);
    if (!key || !key->prepared || room < key->bytes) return false;
    RsaWork work;
    cst_pk_job job = {};
    if (id == PK_RSA_PRIVATE) {
        if (what.bytes + PKCS1_FRAME > key->bytes) return false;
        pad_pkcs1_content(what.data, what.bytes, work.encoded, key->bytes);
        what = {work.encoded, key->bytes, true};
    } else if (id == PK_RSA_PSS_SHA256 || id == PK_RSA_PSS_SHA256_DIGEST) {
        if (!random_bytes(work.salt, sizeof(work.salt))) return false;
        job.signature = work.salt;
        job.signature_len = sizeof(work.salt);
    }
    job.prepared = key->prepared.get();
    job.out = work.signature;
    job.out_cap = key->bytes;
    if (!run(context, id, what, &job)) return false;
    memcpy(signature, work.signature, key->bytes);
    *bytes = key->bytes;
    return true;
}

void RsaSigner::hold(void *key) { hold_rsa_key(key); }
void RsaSigner::release(void *key) { release_rsa_key(key); }

}  // namespace cst::ossl
