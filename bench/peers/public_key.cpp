#include "public_key.hpp"

#include <openssl/obj_mac.h>

#include "../rsa_keys.hpp"

namespace bench {
namespace {

class PublicKeyTask : public Task {
public:
    PublicKeyTask(const Libcrypto &crypto, bool aws_lc, const Row &row, const Batch &batch)
        : crypto_(crypto), row_(row), batch_(batch), context_(crypto.EVP_MD_CTX_new()) {
        const bool agrees = row.public_key == "x25519";
        type_ = agrees ? (aws_lc ? 948 : NID_X25519) : aws_lc ? 949 : NID_ED25519;
        variant = agrees ? "EVP_PKEY_derive" : row.open ? "EVP_DigestVerify" : "EVP_DigestSign";
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
            keys_.push_back(crypto_.EVP_PKEY_new_raw_private_key(type_, nullptr, batch_.key(k), RAW_KEY));
            if (!keys_.back()) return false;
        }
        return true;
    }
    bool run() override {
        const size_t first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++) {
            const Buffer &b = batch_.buffers[i];
            EVP_PKEY *const key = keys_[row_.rsa_bits() ? 0 : batch_.key_of(i)];
            if (!(row_.public_key == "x25519" ? agree(key, b) : row_.open ? verify(key, b) : sign(key, b)))
                return false;
        }
        return true;
    }

private:
    // The peer's key comes as bytes, as it does in a handshake.
    bool agree(EVP_PKEY *key, const Buffer &b) {
        size_t bytes = row_.tag_bytes;
        EVP_PKEY *const peer = crypto_.EVP_PKEY_new_raw_public_key(type_, nullptr, b.in, RAW_KEY);
        EVP_PKEY_CTX *const context = crypto_.EVP_PKEY_CTX_new(key, nullptr);
        const bool done = peer && context && crypto_.EVP_PKEY_derive_init(context) == 1 &&
                          crypto_.EVP_PKEY_derive_set_peer(context, peer) == 1 &&
                          crypto_.EVP_PKEY_derive(context, b.tag, &bytes) == 1;
        crypto_.EVP_PKEY_CTX_free(context);
        crypto_.EVP_PKEY_free(peer);
        return done;
    }
    bool sign(EVP_PKEY *key, const Buffer &b) {
        size_t bytes = row_.tag_bytes;
        return crypto_.EVP_MD_CTX_reset(context_) == 1 &&
               crypto_.EVP_DigestSignInit(context_, nullptr, row_.rsa_bits() ? crypto_.EVP_sha256() : nullptr, nullptr,
                                          key) == 1 &&
               crypto_.EVP_DigestSign(context_, b.tag, &bytes, b.in, b.bytes) == 1;
    }
    bool verify(EVP_PKEY *key, const Buffer &b) {
        return crypto_.EVP_MD_CTX_reset(context_) == 1 &&
               crypto_.EVP_DigestVerifyInit(context_, nullptr, nullptr, nullptr, key) == 1 &&
               crypto_.EVP_DigestVerify(context_, b.expected_tag, row_.tag_bytes, b.in, b.bytes) == 1;
    }

    const Libcrypto &crypto_;
    const Row row_;
    const Batch &batch_;
    Turns turns_{batch_};
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
