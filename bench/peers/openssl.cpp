// OpenSSL, through EVP: one call per buffer for a cipher or a hash, two for a pair. Also the reference for everybody's
// output.
#include "aws_lc_aead.hpp"
#include "openssl_aead.hpp"
#include "openssl_quic.hpp"
#include "openssl_tls.hpp"
#include "openssl_xcbc.hpp"
#include "public_key.hpp"
#include "summed.hpp"

#include <openssl/core_names.h>

#include <algorithm>
#include <cstring>

namespace bench {
namespace {

std::string hash_name(const Row &row) { return row.hash == "sha512_256" ? "SHA512-256" : row.hash; }

class OpensslTask : public Task {
public:
    OpensslTask(const Libcrypto &crypto, const Row &row, const Batch &batch)
        : crypto_(crypto),
          row_(row),
          head_bytes_(row.head_bytes()),
          mac_key_bytes_(row.mac_key_bytes()),
          rc4_(row.rc4()),
          extendable_(row.extendable()),
          batch_(batch) {}
    ~OpensslTask() override {
        for (auto *c : ciphers_) crypto_.EVP_CIPHER_CTX_free(c);
        for (auto *m : macs_) crypto_.EVP_MAC_CTX_free(m);
        for (auto *md : mds_) crypto_.EVP_MD_free(md);
        crypto_.EVP_MD_CTX_free(digest_);
    }
    bool prepare() {
        if (!fetch_hashes()) return false;
        digest_ = crypto_.EVP_MD_CTX_new();
        const std::string name = row_.chacha() || row_.rc4() || row_.des()
                                     ? row_.mode
                                     : "AES-" + std::to_string(row_.key_bits) + "-" + row_.mode;
        EVP_CIPHER *cipher = row_.key_bits ? crypto_.EVP_CIPHER_fetch(nullptr, name.c_str(), nullptr) : nullptr;
        if (row_.key_bits && !cipher) return false;
        const bool xcbc = row_.block_mac == "XCBC";
        EVP_MAC *mac = row_.mac_key_bytes() && !xcbc
                           ? crypto_.EVP_MAC_fetch(nullptr, row_.mac_bits ? "CMAC" : "HMAC", nullptr)
                           : nullptr;
        std::string inner = row_.mac_bits ? "AES-" + std::to_string(row_.mac_bits) + "-CBC" : hash_name(row_);
        bool ok = true;
        const size_t keys = batch_.keys();
        for (size_t i = 0; i < keys && ok; i++) {
            const Buffer &b = batch_.buffers[i];
            if (cipher) {
                ciphers_.push_back(crypto_.EVP_CIPHER_CTX_new());
                ok = crypto_.EVP_CipherInit_ex2(ciphers_.back(), cipher, b.key, nullptr, row_.open ? 0 : 1, nullptr) ==
                     1;
                crypto_.EVP_CIPHER_CTX_set_padding(ciphers_.back(), row_.jose);
            }
            if (xcbc && ok) {
                xcbcs_.push_back(std::make_unique<Xcbc>(crypto_));
                ok = xcbcs_.back()->prepare(b.mac_key);
            }
            if (mac && ok) {
                const char *name = row_.mac_bits ? OSSL_MAC_PARAM_CIPHER : OSSL_MAC_PARAM_DIGEST;
                OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(name, inner.data(), 0),
                                       OSSL_PARAM_construct_end()};
                macs_.push_back(crypto_.EVP_MAC_CTX_new(mac));
                ok = crypto_.EVP_MAC_init(macs_.back(), b.mac_key, row_.mac_key_bytes(), params) == 1;
            }
        }
        crypto_.EVP_CIPHER_free(cipher);
        crypto_.EVP_MAC_free(mac);
        variant = row_.make_keys                   ? "EVP_CipherInit_ex2, EVP_MAC_init"
                  : row_.pair() || mds_.size() > 1 ? "two EVP calls"
                  : xcbc                           ? "EVP AES-CBC"
                                                   : "EVP";
        return ok;
    }
    bool run() override { return row_.make_keys ? make_keys() : run_jobs(); }
    bool prove() override { return run_jobs(); }

private:
    // Fetches the row's hash, or both hashes of two digests of the same bytes ("md5+sha256").
    bool fetch_hashes() {
        const std::string names = hash_name(row_);
        for (size_t at = 0, end; at < names.size(); at = end + 1) {
            end = std::min(names.find('+', at), names.size());
            mds_.push_back(crypto_.EVP_MD_fetch(nullptr, names.substr(at, end - at).c_str(), nullptr));
            if (!mds_.back()) return false;
        }
        return true;
    }
    // Into contexts that are there.
    bool make_keys() {
        for (size_t k = 0; k < ciphers_.size(); k++)
            if (crypto_.EVP_CipherInit_ex2(ciphers_[k], nullptr, batch_.key(k), nullptr, -1, nullptr) != 1)
                return false;
        for (size_t k = 0; k < macs_.size(); k++)
            if (crypto_.EVP_MAC_init(macs_[k], batch_.mac_key(k), mac_key_bytes_, nullptr) != 1) return false;
        return true;
    }
    bool run_jobs() {
        const size_t head = head_bytes_, first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++) {
            const Buffer &b = batch_.buffers[i];
            const size_t key = batch_.key_of(i);
            if (row_.open && row_.pair()) {
                uint8_t tag[EVP_MAX_MD_SIZE];
                if (!authenticate(key, b.in - head, b.in_bytes + head, tag) ||
                    crypto_.CRYPTO_memcmp(tag, b.expected_tag, row_.tag_bytes) != 0)
                    return false;
            }
            if (row_.key_bits && !crypt(key, b)) return false;
            if (mac_key_bytes_ && !row_.open) {
                if (!authenticate(key, row_.key_bits ? b.out - head : b.in, b.out_bytes + head, b.tag)) return false;
            }
            if (!row_.hmac && !digest(b)) return false;
        }
        return true;
    }
    bool digest(const Buffer &b) {
        unsigned at = 0, bytes = 0;
        for (const EVP_MD *md : mds_) {
            if (!crypto_.EVP_DigestInit_ex2(digest_, md, nullptr) ||
                !crypto_.EVP_DigestUpdate(digest_, b.in, b.bytes) ||
                !(extendable_ ? crypto_.EVP_DigestFinalXOF(digest_, b.tag, row_.tag_bytes)
                              : crypto_.EVP_DigestFinal_ex(digest_, b.tag + at, &bytes)))
                return false;
            at += bytes;
        }
        return true;
    }
    bool crypt(size_t key, const Buffer &b) {
        int n = 0, last = 0;
        const uint8_t *again = rc4_ ? b.key : nullptr;  // the only way back to the start of its stream
        return crypto_.EVP_CipherInit_ex2(ciphers_[key], nullptr, again, b.iv, -1, nullptr) == 1 &&
               crypto_.EVP_CipherUpdate(ciphers_[key], b.out, &n, b.in, int(b.in_bytes)) == 1 &&
               (!row_.jose || crypto_.EVP_CipherFinal_ex(ciphers_[key], b.out + n, &last) == 1) &&
               size_t(n) + size_t(last) == b.out_bytes;
    }
    bool authenticate(size_t key, const uint8_t *data, size_t bytes, uint8_t *tag) {
        if (!xcbcs_.empty()) return xcbcs_[key]->run(data, bytes, tag);
        size_t n = 0;
        return crypto_.EVP_MAC_init(macs_[key], nullptr, 0, nullptr) == 1 &&
               crypto_.EVP_MAC_update(macs_[key], data, bytes) == 1 &&
               (!row_.jose || crypto_.EVP_MAC_update(macs_[key], header_bits_, sizeof header_bits_) == 1) &&
               crypto_.EVP_MAC_final(macs_[key], tag, &n, EVP_MAX_MD_SIZE) == 1;
    }
    const Libcrypto &crypto_;
    Row row_;
    const size_t head_bytes_, mac_key_bytes_;
    const bool rc4_, extendable_;
    const uint8_t header_bits_[8] = {0, 0, 0, 0, 0, 0, 0, uint8_t(8 * row_.header)};
    const Batch &batch_;
    Turns turns_{batch_};
    std::vector<EVP_MD *> mds_;
    EVP_MD_CTX *digest_ = nullptr;
    std::vector<EVP_CIPHER_CTX *> ciphers_;
    std::vector<EVP_MAC_CTX *> macs_;
    std::vector<std::unique_ptr<Xcbc>> xcbcs_;
};

class Openssl : public Peer {
public:
    Openssl(const Build &build, const Libcrypto &crypto) : build_(build), crypto_(crypto) {}
    std::string name() const override { return build_.name(crypto_.OpenSSL_version(OPENSSL_VERSION_STRING)); }
    std::string version() const override {
        std::string text = crypto_.OpenSSL_version(OPENSSL_VERSION);
        if (!build_.tier.empty()) text += std::string(" with ") + crypto_.OpenSSL_version(OPENSSL_CPU_INFO);
        return text;
    }
    std::vector<std::unique_ptr<Task>> prepare(const Row &row, const Batch &batch) override {
        if (row.stored()) return {};
        if (!row.public_key.empty()) return libcrypto_public_key_tasks(crypto_, build_.kind == "aws-lc", row, batch);
        if (!row.sum.empty()) return summed_tasks(*this, row, batch);
        if (batch.sessions) return {};  // its contexts take several KB each
        if (row.make_keys && (row.tls || row.block_mac == "XCBC")) return {};
        if (row.tls) return openssl_tls_tasks(crypto_, row, batch);
        if (row.aead) {
            auto tasks = (row.quic ? openssl_quic_tasks : openssl_aead_tasks)(crypto_, row, batch);
            if (build_.kind == "aws-lc")
                for (auto &task : aws_lc_aead_tasks(build_.file, row, batch)) tasks.push_back(std::move(task));
            return tasks;
        }
        auto task = std::make_unique<OpensslTask>(crypto_, row, batch);
        return tasks_of(task->prepare() ? std::move(task) : nullptr);
    }

private:
    const Build build_;
    const Libcrypto crypto_;
};

} // namespace

std::unique_ptr<Peer> make_openssl(const Build &build, std::string &error) {
    Libcrypto crypto = Libcrypto::linked();
    if (!build.file.empty() && !Libcrypto::load(build.file, crypto, error)) return nullptr;
    crypto.OSSL_PROVIDER_load(nullptr, "default");
    crypto.OSSL_PROVIDER_load(nullptr, "legacy");  // RC4; where it is not installed, its rows are left out
    return std::make_unique<Openssl>(build, crypto);
}

std::unique_ptr<Peer> make_reference() {
    std::string error;
    return make_openssl({"openssl", "", "", ""}, error);
}

} // namespace bench
