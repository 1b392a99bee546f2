#include "public_key.hpp"

#include <openssl/obj_mac.h>

#include "../rsa_keys.hpp"
#include "p256.hpp"

namespace bench {
namespace {

class PublicKeyTask : public Task {
public:
    PublicKeyTask(const Libcrypto &crypto, bool aws_lc, const Row &row, const Batch &batch)
        : crypto_(crypto),
          row_(row),
          agrees_(row.agrees()),
          p256_(row.p256()),
          rsa_(row.rsa_bits()),
          batch_(batch),
          context_(crypto.EVP_MD_CTX_new()) {
        type_ = row.agrees() ? (aws_lc ? 948 : NID_X25519) : aws_lc ? 949 : NID_ED25519;
        variant = row.agrees() ? "EVP_PKEY_derive" : row.open ? "EVP_DigestVerify" : "EVP_DigestSign";
    }
    ~PublicKeyTask() override {
        for (EVP_PKEY *key : keys_) crypto_.EVP_PKEY_free(key);
        crypto_.EVP_MD_CTX_free(context_);
    }
    bool prepare() {
        if (row_.rsa_bits()) {
            const std::vector<uint8_t> der = rsa_key(row_.rsa_bits());
            const uint8_t *at = der.data();
            keys_.push_back(crypto_.d2i_AutoPrivateKey(nullptr, &at, long(der.size())));
            return keys_.back();
        }
        for (size_t k = 0; k < batch_.keys(); k++) {
            const std::vector<uint8_t> der = p256_private(batch_.key(k));
            const uint8_t *at = der.data();
            keys_.push_back(row_.p256() ? crypto_.d2i_AutoPrivateKey(nullptr, &at, long(der.size()))
                                        : crypto_.EVP_PKEY_new_raw_private_key(type_, nullptr, batch_.key(k), RAW_KEY));
            if (!keys_.back()) return false;
        }
        return true;
    }
    bool run() override {
        const size_t first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++) {
            const Buffer &b = batch_.buffers[i];
            EVP_PKEY *const key = keys_[rsa_ ? 0 : batch_.key_of(i)];
            if (!(agrees_ ? agree(key, b) : row_.open ? verify(key, b) : sign(key, b))) return false;
        }
        return true;
    }

private:
    // The peer's key comes as bytes, as it does in a handshake.
    bool agree(EVP_PKEY *key, const Buffer &b) {
        size_t bytes = row_.tag_bytes;
        const uint8_t *at = peer_.data();
        EVP_PKEY *const peer = p256_ ? crypto_.d2i_PUBKEY(nullptr, &at, long(peer_.size()))
                                     : crypto_.EVP_PKEY_new_raw_public_key(type_, nullptr, b.in, RAW_KEY);
        EVP_PKEY_CTX *const context = crypto_.EVP_PKEY_CTX_new(key, nullptr);
        const bool done = peer && context && crypto_.EVP_PKEY_derive_init(context) == 1 &&
                          crypto_.EVP_PKEY_derive_set_peer(context, peer) == 1 &&
                          crypto_.EVP_PKEY_derive(context, b.tag, &bytes) == 1;
        crypto_.EVP_PKEY_CTX_free(context);
        crypto_.EVP_PKEY_free(peer);
        return done;
    }
    bool sign(EVP_PKEY *key, const Buffer &b) {
        uint8_t der[2 * P256_SIGNATURE];
        size_t bytes = p256_ ? sizeof der : row_.tag_bytes;
        const bool done = crypto_.EVP_MD_CTX_reset(context_) == 1 &&
                          crypto_.EVP_DigestSignInit(context_, nullptr, hash(), nullptr, key) == 1 &&
                          crypto_.EVP_DigestSign(context_, p256_ ? der : b.tag, &bytes, b.in, b.bytes) == 1;
        if (done && p256_) ecdsa_raw(der, b.tag);
        return done;
    }
    bool verify(EVP_PKEY *key, const Buffer &b) {
        std::vector<uint8_t> signature(b.expected_tag, b.expected_tag + row_.tag_bytes);
        if (p256_) signature = ecdsa_der(b.expected_tag);
        return crypto_.EVP_MD_CTX_reset(context_) == 1 &&
               crypto_.EVP_DigestVerifyInit(context_, nullptr, hash(), nullptr, key) == 1 &&
               crypto_.EVP_DigestVerify(context_, signature.data(), signature.size(), b.in, b.bytes) == 1;
    }
    const EVP_MD *hash() const { return rsa_ || p256_ ? crypto_.EVP_sha256() : nullptr; }

    const Libcrypto &crypto_;
    const Row row_;
    const bool agrees_, p256_, rsa_;
    const Batch &batch_;
    Turns turns_{batch_};
    const std::vector<uint8_t> peer_ = p256_peer();
    int type_;
    std::vector<EVP_PKEY *> keys_;
    EVP_MD_CTX *context_;
};

} // namespace

std::vector<std::unique_ptr<Task>> libcrypto_public_key_tasks(const Libcrypto &crypto, bool aws_lc, const Row &row,
                                                              const Batch &batch) {
    auto task = std::make_unique<PublicKeyTask>(crypto, aws_lc, row, batch);
    return tasks_of(task->prepare() ? std::move(task) : nullptr);
}

} // namespace bench
