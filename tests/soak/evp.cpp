#include "evp.hpp"

#include <openssl/core_names.h>
#include <openssl/err.h>

#include <map>
#include <mutex>
#include <stdexcept>

namespace soak {
namespace {

// Fetching takes longer than a short message: once for each name, and for ever.
template <typename T, typename Fetch>
T *fetched(const std::string &name, Fetch fetch) {
    static std::mutex mutex;
    static auto &known = *new std::map<std::string, T *>;
    const std::lock_guard<std::mutex> lock(mutex);
    T *&slot = known[name];
    if (!slot && !(slot = fetch(name.c_str()))) fail_evp(name.c_str());
    return slot;
}

const EVP_CIPHER *cipher_of(const std::string &name) {
    return fetched<EVP_CIPHER>(name, [](const char *text) { return EVP_CIPHER_fetch(nullptr, text, nullptr); });
}

}  // namespace

void fail_evp(const char *what) {
    char text[256];
    ERR_error_string_n(ERR_get_error(), text, sizeof(text));
    throw std::runtime_error(std::string("libcrypto: ") + what + ": " + text);
}

Cipher::Cipher(const std::string &name, const uint8_t *key, size_t key_bytes, bool encrypts)
    : ctx_(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free) {
    const EVP_CIPHER *const cipher = cipher_of(name);
    if (size_t(EVP_CIPHER_get_key_length(cipher)) != key_bytes) throw std::runtime_error(name + ": length of a key");
    if (!EVP_CipherInit_ex(ctx_.get(), cipher, nullptr, key, nullptr, encrypts)) fail_evp(name.c_str());
    EVP_CIPHER_CTX_set_padding(ctx_.get(), 0);
}

void Cipher::crypt(const Bytes &iv, const uint8_t *in, size_t n, uint8_t *out) {
    int some = 0, rest = 0;
    if (!n) return;
    if (!EVP_CipherInit_ex(ctx_.get(), nullptr, nullptr, nullptr, iv.empty() ? nullptr : iv.data(), -1) ||
        !EVP_CipherUpdate(ctx_.get(), out, &some, in, int(n)) || !EVP_CipherFinal_ex(ctx_.get(), out + some, &rest) ||
        size_t(some + rest) != n)
        fail_evp("a text");
}

Aead::Aead(const std::string &name, bool ccm, const Bytes &key)
    : key_(key), ccm_(ccm), ctx_(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free) {
    if (!EVP_EncryptInit_ex(ctx_.get(), cipher_of(name), nullptr, nullptr, nullptr)) fail_evp(name.c_str());
}

void Aead::seal(const Bytes &iv, const Bytes &aad, const Bytes &text, Bytes *out, size_t tag_bytes, Bytes *tag) {
    EVP_CIPHER_CTX *const ctx = ctx_.get();
    static const uint8_t none = 0;
    uint8_t unused;
    int n = 0;
    out->resize(text.size());
    tag->resize(tag_bytes);
    bool right = EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, int(iv.size()), nullptr);
    if (ccm_) right = right && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, int(tag_bytes), nullptr);
    right = right && EVP_EncryptInit_ex(ctx, nullptr, nullptr, key_.data(), iv.data());
    if (ccm_) right = right && EVP_EncryptUpdate(ctx, nullptr, &n, nullptr, int(text.size()));
    if (!aad.empty()) right = right && EVP_EncryptUpdate(ctx, nullptr, &n, aad.data(), int(aad.size()));
    right = right && EVP_EncryptUpdate(ctx, text.empty() ? &unused : out->data(), &n,
                                       text.empty() ? &none : text.data(), int(text.size()));
    if (!right || !EVP_EncryptFinal_ex(ctx, &unused, &n) ||
        !EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, int(tag_bytes), tag->data()))
        fail_evp("an AEAD's message");
}

Digest::Digest(const std::string &name)
    : md_(fetched<EVP_MD>(name, [](const char *text) { return EVP_MD_fetch(nullptr, text, nullptr); })),
      ctx_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {}

Bytes Digest::of(const Bytes &message) {
    const bool extends = EVP_MD_get_flags(md_) & EVP_MD_FLAG_XOF;
    Bytes digest(extends ? MOST : size_t(EVP_MD_get_size(md_)));
    if (!EVP_DigestInit_ex(ctx_.get(), md_, nullptr) || !EVP_DigestUpdate(ctx_.get(), message.data(), message.size()) ||
        !(extends ? EVP_DigestFinalXOF(ctx_.get(), digest.data(), digest.size())
                  : EVP_DigestFinal_ex(ctx_.get(), digest.data(), nullptr)))
        fail_evp("a digest");
    return digest;
}

Mac::Mac(const char *name, const std::string &of, const Bytes &key)
    : key_(key),
      ctx_(EVP_MAC_CTX_new(
               fetched<EVP_MAC>(name, [](const char *text) { return EVP_MAC_fetch(nullptr, text, nullptr); })),
           EVP_MAC_CTX_free) {
    const bool cipher = strcmp(name, "CMAC") == 0;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(cipher ? OSSL_MAC_PARAM_CIPHER : OSSL_MAC_PARAM_DIGEST,
                                         const_cast<char *>(of.c_str()), 0),
        OSSL_PARAM_construct_end()};
    if (!EVP_MAC_CTX_set_params(ctx_.get(), params)) fail_evp(of.c_str());
}

// With the key each time: versions of OpenSSL 3.0 do not begin anew without it.
void Mac::begin() {
    static const uint8_t none = 0;
    if (!EVP_MAC_init(ctx_.get(), key_.empty() ? &none : key_.data(), key_.size(), nullptr)) fail_evp("a MAC's key");
}

void Mac::add(const uint8_t *bytes, size_t n) {
    if (n && !EVP_MAC_update(ctx_.get(), bytes, n)) fail_evp("a MAC");
}

Bytes Mac::end() {
    Bytes mac(EVP_MAX_MD_SIZE);
    size_t n = 0;
    if (!EVP_MAC_final(ctx_.get(), mac.data(), &n, mac.size())) fail_evp("a MAC");
    mac.resize(n);
    return mac;
}

}  // namespace soak
