// AEAD ciphers through EVP: a context for each key, one IV, AAD, text and tag per job.
#include "openssl_aead.hpp"

namespace bench {
namespace {

class AeadTask : public Task {
public:
    AeadTask(const Libcrypto &crypto, const Row &row, const Batch &batch)
        : crypto_(crypto), row_(row), ccm_(row.mode == "CCM"), batch_(batch) {
        variant = row.make_keys ? "EVP_CipherInit_ex2" : "EVP";
    }
    ~AeadTask() override {
        for (auto *c : ciphers_) crypto_.EVP_CIPHER_CTX_free(c);
    }
    bool prepare() {
        EVP_CIPHER *cipher = crypto_.EVP_CIPHER_fetch(
            nullptr, (row_.chacha() ? row_.mode : "AES-" + std::to_string(row_.key_bits) + "-" + row_.mode).c_str(),
            nullptr);
        bool ok = cipher != nullptr;
        const size_t keys = batch_.keys();
        for (size_t i = 0; i < keys && ok; i++) {
            ciphers_.push_back(crypto_.EVP_CIPHER_CTX_new());
            EVP_CIPHER_CTX *ctx = ciphers_.back();
            ok = crypto_.EVP_CipherInit_ex2(ctx, cipher, nullptr, nullptr, row_.open ? 0 : 1, nullptr) == 1 &&
                 (!ccm_ || set_lengths(ctx)) &&
                 crypto_.EVP_CipherInit_ex2(ctx, nullptr, batch_.buffers[i].key, nullptr, -1, nullptr) == 1;
        }
        crypto_.EVP_CIPHER_free(cipher);
        return ok;
    }
    bool run() override { return row_.make_keys ? make_keys() : run_jobs(); }
    bool prove() override { return run_jobs(); }

private:
    // Into contexts that are there.
    bool make_keys() {
        for (size_t k = 0; k < ciphers_.size(); k++)
            if (crypto_.EVP_CipherInit_ex2(ciphers_[k], nullptr, batch_.key(k), nullptr, -1, nullptr) != 1)
                return false;
        return true;
    }
    bool run_jobs() {
        const size_t first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++)
            if (!one(ciphers_[batch_.key_of(i)], batch_.buffers[i])) return false;
        return true;
    }
    // SP 800-38C puts the lengths of IV and tag and that of the text into the first block: they come before the key,
    // and before the AAD.
    bool set_lengths(EVP_CIPHER_CTX *ctx) const {
        return crypto_.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, int(row_.iv_bytes()), nullptr) == 1 &&
               crypto_.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, int(row_.tag_bytes), nullptr) == 1;
    }
    bool one(EVP_CIPHER_CTX *ctx, const Buffer &b) {
        int n = 0;
        const int tag = int(row_.tag_bytes);
        if (crypto_.EVP_CipherInit_ex2(ctx, nullptr, nullptr, b.iv, -1, nullptr) != 1) return false;
        if (row_.open &&
            crypto_.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, tag, const_cast<uint8_t *>(b.expected_tag)) != 1)
            return false;
        if (ccm_ && crypto_.EVP_CipherUpdate(ctx, nullptr, &n, nullptr, int(b.bytes)) != 1) return false;
        if (crypto_.EVP_CipherUpdate(ctx, nullptr, &n, b.iv - row_.header, int(row_.header)) != 1) return false;
        if (crypto_.EVP_CipherUpdate(ctx, b.out, &n, b.in, int(b.bytes)) != 1 || size_t(n) != b.bytes) return false;
        if (!ccm_ && crypto_.EVP_CipherFinal_ex(ctx, b.out + n, &n) != 1) return false;
        return row_.open || crypto_.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, tag, b.tag) == 1;
    }
    const Libcrypto &crypto_;
    const Row row_;
    const bool ccm_;
    const Batch &batch_;
    Turns turns_{batch_};
    std::vector<EVP_CIPHER_CTX *> ciphers_;
};

} // namespace

std::vector<std::unique_ptr<Task>> openssl_aead_tasks(const Libcrypto &crypto, const Row &row, const Batch &batch) {
    auto task = std::make_unique<AeadTask>(crypto, row, batch);
    return tasks_of(task->prepare() ? std::move(task) : nullptr);
}

} // namespace bench
