// OpenSSL, through EVP: one call per buffer for a cipher or a hash, two for a pair. Also the reference for everybody's output.
#include "openssl_aead.hpp"
#include "openssl_tls.hpp"
#include "openssl_xcbc.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <cstring>

namespace bench {
namespace {

std::string hash_name(const Row &row) { return row.hash == "sha512_256" ? "SHA512-256" : row.hash; }

class OpensslTask : public Task {
public:
    OpensslTask(const Row &row, const Batch &batch) : row_(row), batch_(batch) {}
    ~OpensslTask() override {
        for (auto *c : ciphers_) EVP_CIPHER_CTX_free(c);
        for (auto *m : macs_) EVP_MAC_CTX_free(m);
        EVP_MD_free(md_);
        EVP_MD_CTX_free(digest_);
    }
    bool prepare() {
        md_ = row_.hash.empty() ? nullptr : EVP_MD_fetch(nullptr, hash_name(row_).c_str(), nullptr);
        if (!row_.hash.empty() && !md_) return false;
        digest_ = EVP_MD_CTX_new();
        EVP_CIPHER *cipher = row_.key_bits ? EVP_CIPHER_fetch(nullptr, (row_.chacha() ? row_.mode : "AES-" + std::to_string(row_.key_bits) + "-" + row_.mode).c_str(), nullptr) : nullptr;
        EVP_MAC *mac = row_.hmac || row_.cmac_bits ? EVP_MAC_fetch(nullptr, row_.cmac_bits ? "CMAC" : "HMAC", nullptr) : nullptr;
        std::string inner = row_.cmac_bits ? "AES-" + std::to_string(row_.cmac_bits) + "-CBC" : hash_name(row_);
        bool ok = true;
        size_t keys = batch_.one_key ? 1 : batch_.buffers.size();
        for (size_t i = 0; i < keys && ok; i++) {
            const Buffer &b = batch_.buffers[i];
            if (cipher) {
                ciphers_.push_back(EVP_CIPHER_CTX_new());
                ok = EVP_CipherInit_ex2(ciphers_.back(), cipher, b.key, nullptr, row_.open ? 0 : 1, nullptr) == 1;
                EVP_CIPHER_CTX_set_padding(ciphers_.back(), 0);
            }
            if (row_.xcbc && ok) {
                xcbcs_.push_back(std::make_unique<OpensslXcbc>());
                ok = xcbcs_.back()->prepare(b.mac_key);
            }
            if (mac && ok) {
                const char *name = row_.cmac_bits ? OSSL_MAC_PARAM_CIPHER : OSSL_MAC_PARAM_DIGEST;
                OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(name, inner.data(), 0), OSSL_PARAM_construct_end()};
                macs_.push_back(EVP_MAC_CTX_new(mac));
                ok = EVP_MAC_init(macs_.back(), b.mac_key, row_.mac_key_bytes(), params) == 1;
            }
        }
        EVP_CIPHER_free(cipher);
        EVP_MAC_free(mac);
        variant = row_.pair() ? "two EVP calls" : "EVP";
        return ok;
    }
    bool run() override {
        const size_t head = row_.key_bits ? row_.header + 16 : 0; // what is authenticated in front of the ciphertext
        for (size_t i = 0; i < batch_.buffers.size(); i++) {
            const Buffer &b = batch_.buffers[i];
            size_t key = batch_.one_key ? 0 : i;
            if (row_.open && row_.pair()) {
                uint8_t tag[EVP_MAX_MD_SIZE];
                if (!authenticate(key, b.in - head, b.bytes + head, tag) || CRYPTO_memcmp(tag, b.expected_tag, row_.tag_bytes) != 0) return false;
            }
            if (row_.key_bits && !crypt(key, b)) return false;
            if (row_.mac_key_bytes() && !row_.open) {
                if (!authenticate(key, row_.key_bits ? b.out - head : b.in, b.bytes + head, b.tag)) return false;
            }
            if (!row_.hash.empty() && !row_.hmac) {
                if (!EVP_DigestInit_ex2(digest_, md_, nullptr) || !EVP_DigestUpdate(digest_, b.in, b.bytes) || !EVP_DigestFinal_ex(digest_, b.tag, nullptr)) return false;
            }
        }
        return true;
    }

private:
    bool crypt(size_t key, const Buffer &b) {
        int n = 0;
        return EVP_CipherInit_ex2(ciphers_[key], nullptr, nullptr, b.iv, -1, nullptr) == 1 &&
               EVP_CipherUpdate(ciphers_[key], b.out, &n, b.in, int(b.bytes)) == 1 && size_t(n) == b.bytes;
    }
    bool authenticate(size_t key, const uint8_t *data, size_t bytes, uint8_t *tag) {
        if (row_.xcbc) return xcbcs_[key]->run(data, bytes, tag);
        size_t n = 0;
        return EVP_MAC_init(macs_[key], nullptr, 0, nullptr) == 1 && EVP_MAC_update(macs_[key], data, bytes) == 1 &&
               EVP_MAC_final(macs_[key], tag, &n, EVP_MAX_MD_SIZE) == 1;
    }
    Row row_;
    const Batch &batch_;
    EVP_MD *md_ = nullptr;
    EVP_MD_CTX *digest_ = nullptr;
    std::vector<EVP_CIPHER_CTX *> ciphers_;
    std::vector<EVP_MAC_CTX *> macs_;
    std::vector<std::unique_ptr<OpensslXcbc>> xcbcs_;
};

class Openssl : public Peer {
public:
    std::string name() const override { return "openssl"; }
    std::string version() const override { return OpenSSL_version(OPENSSL_VERSION); }
    std::vector<std::unique_ptr<Task>> prepare(const Row &row, const Batch &batch) override {
        if (row.tls) return openssl_tls_tasks(row, batch);
        if (row.aead) return openssl_aead_tasks(row, batch);
        std::vector<std::unique_ptr<Task>> tasks;
        auto task = std::make_unique<OpensslTask>(row, batch);
        if (task->prepare()) tasks.push_back(std::move(task));
        return tasks;
    }
};

} // namespace

std::unique_ptr<Peer> make_openssl() { return std::make_unique<Openssl>(); }

} // namespace bench
