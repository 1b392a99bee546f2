// QUIC packets through EVP, as ngtcp2 has it: two contexts for each key, one of the AEAD and one of header protection.
#include "openssl_quic.hpp"

#include "../quic.hpp"

namespace bench {
namespace {

class EvpQuicTask : public QuicTask {
public:
    EvpQuicTask(const Libcrypto &crypto, const Row &row, const Batch &batch) : QuicTask(row, batch), crypto_(crypto) {
        variant = "EVP";
    }
    ~EvpQuicTask() override {
        for (const auto &contexts : {aeads_, masks_})
            for (EVP_CIPHER_CTX *ctx : contexts) crypto_.EVP_CIPHER_CTX_free(ctx);
    }
    bool prepare() {
        const std::string aes = "AES-" + std::to_string(row_.key_bits);
        EVP_CIPHER *const aead = fetch(chacha_ ? row_.mode : aes + "-GCM");
        EVP_CIPHER *const mask = fetch(chacha_ ? "ChaCha20" : aes + "-ECB");
        bool ok = aead && mask;
        for (size_t k = 0; k < batch_.keys() && ok; k++)
            ok = add(aeads_, aead, batch_.key(k), !row_.open) && add(masks_, mask, quic_hp(batch_, k), true) &&
                 crypto_.EVP_CIPHER_CTX_set_padding(masks_.back(), 0) == 1;
        crypto_.EVP_CIPHER_free(aead);
        crypto_.EVP_CIPHER_free(mask);
        return ok;
    }

private:
    EVP_CIPHER *fetch(const std::string &name) const {
        return crypto_.EVP_CIPHER_fetch(nullptr, name.c_str(), nullptr);
    }
    bool add(std::vector<EVP_CIPHER_CTX *> &all, const EVP_CIPHER *cipher, const uint8_t *key, bool seals) {
        all.push_back(crypto_.EVP_CIPHER_CTX_new());
        return crypto_.EVP_CipherInit_ex2(all.back(), cipher, key, nullptr, seals, nullptr) == 1;
    }
    bool run_aead(size_t k, const uint8_t *nonce, const uint8_t *header, const Buffer &b) override {
        EVP_CIPHER_CTX *const ctx = aeads_[k];
        uint8_t *const tag = row_.open ? const_cast<uint8_t *>(b.in + b.bytes) : b.out + b.bytes;
        int n = 0;
        return crypto_.EVP_CipherInit_ex2(ctx, nullptr, nullptr, nonce, -1, nullptr) == 1 &&
               (!row_.open || crypto_.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, int(QUIC_TAG), tag) == 1) &&
               crypto_.EVP_CipherUpdate(ctx, nullptr, &n, header, int(QUIC_HEADER)) == 1 &&
               crypto_.EVP_CipherUpdate(ctx, b.out, &n, b.in, int(b.bytes)) == 1 && size_t(n) == b.bytes &&
               crypto_.EVP_CipherFinal_ex(ctx, b.out + n, &n) == 1 &&
               (row_.open || crypto_.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, int(QUIC_TAG), tag) == 1);
    }
    // ChaCha20 takes the sample as block counter and nonce (5.4.4).
    bool make_mask(size_t k, const uint8_t *sample, uint8_t *mask) override {
        static const uint8_t zeros[QUIC_MASK] = {};
        EVP_CIPHER_CTX *const ctx = masks_[k];
        int n = 0;
        if (chacha_)
            return crypto_.EVP_CipherInit_ex2(ctx, nullptr, nullptr, sample, -1, nullptr) == 1 &&
                   crypto_.EVP_CipherUpdate(ctx, mask, &n, zeros, int(QUIC_MASK)) == 1;
        return crypto_.EVP_CipherUpdate(ctx, mask, &n, sample, int(QUIC_SAMPLE)) == 1;
    }
    const Libcrypto &crypto_;
    std::vector<EVP_CIPHER_CTX *> aeads_, masks_;
};

}  // namespace

std::vector<std::unique_ptr<Task>> openssl_quic_tasks(const Libcrypto &crypto, const Row &row, const Batch &batch) {
    auto task = std::make_unique<EvpQuicTask>(crypto, row, batch);
    return tasks_of(task->prepare() ? std::move(task) : nullptr);
}

}  // namespace bench
