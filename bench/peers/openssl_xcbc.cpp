#include "openssl_xcbc.hpp"

#include <cstring>

namespace bench {
namespace {

class XcbcTask : public Task {
public:
    XcbcTask(const Libcrypto &crypto, const Row &row, const Batch &batch) : crypto_(crypto), row_(row), batch_(batch), sealed_(batch.longest + 16) {
        variant = "EVP AES-CBC";
    }
    ~XcbcTask() override {
        for (Key &key : keys_) crypto_.EVP_CIPHER_CTX_free(key.ctx);
    }
    // K1, K2, K3 are the blocks of ones, twos, threes, encrypted under K.
    bool prepare() {
        EVP_CIPHER *cbc = crypto_.EVP_CIPHER_fetch(nullptr, "AES-128-CBC", nullptr), *ecb = crypto_.EVP_CIPHER_fetch(nullptr, "AES-128-ECB", nullptr);
        bool ok = cbc && ecb;
        const size_t keys = batch_.one_key ? 1 : batch_.buffers.size();
        for (size_t i = 0; i < keys && ok; i++) {
            uint8_t numbers[48], derived[48];
            for (int k = 0; k < 3; k++) memset(numbers + 16 * k, k + 1, 16);
            keys_.emplace_back();
            Key &key = keys_.back();
            key.ctx = crypto_.EVP_CIPHER_CTX_new();
            int n = 0;
            ok = crypto_.EVP_CipherInit_ex2(key.ctx, ecb, batch_.buffers[i].mac_key, nullptr, 1, nullptr) == 1 &&
                 crypto_.EVP_CipherUpdate(key.ctx, derived, &n, numbers, 48) == 1 &&
                 crypto_.EVP_CipherInit_ex2(key.ctx, cbc, derived, nullptr, 1, nullptr) == 1 && crypto_.EVP_CIPHER_CTX_set_padding(key.ctx, 0) == 1;
            memcpy(key.whole, derived + 16, 16);
            memcpy(key.padded, derived + 32, 16);
        }
        crypto_.EVP_CIPHER_free(cbc);
        crypto_.EVP_CIPHER_free(ecb);
        return ok;
    }
    bool run() override {
        for (size_t i = 0; i < batch_.buffers.size(); i++)
            if (!one(keys_[batch_.one_key ? 0 : i], batch_.buffers[i])) return false;
        return true;
    }

private:
    struct Key {
        EVP_CIPHER_CTX *ctx = nullptr;
        uint8_t whole[16], padded[16]; // K2, K3: what the last block is mixed with
    };
    bool one(const Key &key, const Buffer &b) {
        static const uint8_t ZERO[16] = {};
        const size_t tail = (b.bytes - 1) % 16 + 1, before = b.bytes - tail;
        uint8_t last[16] = {};
        memcpy(last, b.in + before, tail);
        if (tail < 16) last[tail] = 0x80;
        for (int k = 0; k < 16; k++) last[k] ^= tail < 16 ? key.padded[k] : key.whole[k];
        int n = 0;
        if (crypto_.EVP_CipherInit_ex2(key.ctx, nullptr, nullptr, ZERO, -1, nullptr) != 1) return false;
        if (before && crypto_.EVP_CipherUpdate(key.ctx, sealed_.data(), &n, b.in, int(before)) != 1) return false;
        if (crypto_.EVP_CipherUpdate(key.ctx, sealed_.data(), &n, last, 16) != 1 || n != 16) return false;
        memcpy(b.tag, sealed_.data(), row_.tag_bytes);
        return true;
    }
    const Libcrypto &crypto_;
    const Row row_;
    const Batch &batch_;
    std::vector<Key> keys_;
    std::vector<uint8_t> sealed_;
};

} // namespace

std::vector<std::unique_ptr<Task>> openssl_xcbc_tasks(const Libcrypto &crypto, const Row &row, const Batch &batch) {
    auto task = std::make_unique<XcbcTask>(crypto, row, batch);
    return tasks_of(task->prepare() ? std::move(task) : nullptr);
}

} // namespace bench
