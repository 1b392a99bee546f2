// AEAD ciphers through EVP: a context for each key, one IV, AAD, text and tag per job.
#include "openssl_aead.hpp"

#include <openssl/evp.h>

namespace bench {
namespace {

class AeadTask : public Task {
public:
    AeadTask(const Row &row, const Batch &batch) : row_(row), batch_(batch) { variant = "EVP"; }
    ~AeadTask() override {
        for (auto *c : ciphers_) EVP_CIPHER_CTX_free(c);
    }
    bool prepare() {
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(nullptr, (row_.chacha() ? row_.mode : "AES-" + std::to_string(row_.key_bits) + "-" + row_.mode).c_str(), nullptr);
        bool ok = cipher != nullptr;
        const size_t keys = batch_.one_key ? 1 : batch_.buffers.size();
        for (size_t i = 0; i < keys && ok; i++) {
            ciphers_.push_back(EVP_CIPHER_CTX_new());
            if (ccm()) {  // lengths come before the key
                EVP_CIPHER_CTX *ctx = ciphers_.back();
                ok = EVP_CipherInit_ex2(ctx, cipher, nullptr, nullptr, row_.open ? 0 : 1, nullptr) == 1 &&
                     EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, int(row_.iv_bytes()), nullptr) == 1 &&
                     EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, int(row_.tag_bytes), nullptr) == 1;
            }
            ok = ok && EVP_CipherInit_ex2(ciphers_.back(), ccm() ? nullptr : cipher, batch_.buffers[i].key, nullptr, row_.open ? 0 : 1, nullptr) == 1;
        }
        EVP_CIPHER_free(cipher);
        return ok;
    }
    bool run() override {
        for (size_t i = 0; i < batch_.buffers.size(); i++)
            if (!one(ciphers_[batch_.one_key ? 0 : i], batch_.buffers[i])) return false;
        return true;
    }

private:
    bool ccm() const { return row_.mode == "CCM"; }
    bool one(EVP_CIPHER_CTX *ctx, const Buffer &b) {
        int n = 0;
        const int tag = int(row_.tag_bytes);
        if (EVP_CipherInit_ex2(ctx, nullptr, nullptr, b.iv, -1, nullptr) != 1) return false;
        if (row_.open && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, tag, const_cast<uint8_t *>(b.expected_tag)) != 1) return false;
        if (ccm() && EVP_CipherUpdate(ctx, nullptr, &n, nullptr, int(b.bytes)) != 1) return false;
        if (EVP_CipherUpdate(ctx, nullptr, &n, b.iv - row_.header, int(row_.header)) != 1) return false;
        if (EVP_CipherUpdate(ctx, b.out, &n, b.in, int(b.bytes)) != 1 || size_t(n) != b.bytes) return false;
        if (!ccm() && EVP_CipherFinal_ex(ctx, b.out + n, &n) != 1) return false;  // CCM has checked the tag by now
        return row_.open || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, tag, b.tag) == 1;
    }
    const Row row_;
    const Batch &batch_;
    std::vector<EVP_CIPHER_CTX *> ciphers_;
};

} // namespace

std::vector<std::unique_ptr<Task>> openssl_aead_tasks(const Row &row, const Batch &batch) {
    std::vector<std::unique_ptr<Task>> tasks;
    auto task = std::make_unique<AeadTask>(row, batch);
    if (task->prepare()) tasks.push_back(std::move(task));
    return tasks;
}

} // namespace bench
