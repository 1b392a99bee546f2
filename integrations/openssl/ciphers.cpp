#include "ciphers.hpp"

#include "cbc.hpp"
#include "ccm.hpp"
#include "chacha_poly.hpp"
#include "cmac.hpp"
#include "ctr.hpp"
#include "etm.hpp"
#include "gcm.hpp"
#include "tls.hpp"
#include "xts.hpp"

namespace cst::ossl {

const char *const SUITE_NAMES[SUITES] = {"aes-128-gcm",
                                         "aes-192-gcm",
                                         "aes-256-gcm",
                                         "aes-128-ctr",
                                         "aes-192-ctr",
                                         "aes-256-ctr",
                                         "aes-128-cbc",
                                         "aes-192-cbc",
                                         "aes-256-cbc",
                                         "aes-128-xts",
                                         "aes-256-xts",
                                         "aes-128-ccm",
                                         "aes-256-ccm",
                                         "chacha20",
                                         "chacha20-poly1305",
                                         "aes-128-cbc+hmac-sha1-tls",
                                         "aes-128-cbc+hmac-sha256-tls",
                                         "aes-256-cbc+hmac-sha1-tls",
                                         "aes-256-cbc+hmac-sha256-tls",
                                         "aes-128-cbc+hmac-sha1-ciphertext",
                                         "aes-128-cbc+hmac-sha256-ciphertext",
                                         "aes-128-cbc+hmac-sha512-ciphertext",
                                         "aes-192-cbc+hmac-sha1-ciphertext",
                                         "aes-192-cbc+hmac-sha256-ciphertext",
                                         "aes-192-cbc+hmac-sha512-ciphertext",
                                         "aes-256-cbc+hmac-sha1-ciphertext",
                                         "aes-256-cbc+hmac-sha256-ciphertext",
                                         "aes-256-cbc+hmac-sha512-ciphertext"};

namespace {

constexpr CipherInfo aead(SuiteId suite, unsigned mode, size_t key_bytes) {
    return {suite, mode, key_bytes, 1, 12, true, true, false, false};
}
constexpr CipherInfo plain(SuiteId suite, unsigned mode, size_t key_bytes, bool own_iv) {
    return {suite, mode, key_bytes, 1, BLOCK, false, own_iv, false, false};
}
constexpr CipherInfo tls(SuiteId suite, size_t key_bytes) {
    return {suite, EVP_CIPH_CBC_MODE, key_bytes, BLOCK, BLOCK, true, false, true, false};
}
constexpr CipherInfo cbc(SuiteId suite, size_t key_bytes, bool etm = false) {
    return {suite, EVP_CIPH_CBC_MODE, key_bytes, BLOCK, BLOCK, false, false, false, etm};
}

constexpr CipherInfo GCM_128_INFO = aead(GCM_128, EVP_CIPH_GCM_MODE, 16);
constexpr CipherInfo GCM_192_INFO = aead(GCM_192, EVP_CIPH_GCM_MODE, 24);
constexpr CipherInfo GCM_256_INFO = aead(GCM_256, EVP_CIPH_GCM_MODE, 32);
constexpr CipherInfo CCM_128_INFO = aead(CCM_128, EVP_CIPH_CCM_MODE, 16);
constexpr CipherInfo CCM_256_INFO = aead(CCM_256, EVP_CIPH_CCM_MODE, 32);
constexpr CipherInfo CHACHA_INFO = aead(CHACHA20_POLY1305, 0, 32);
constexpr CipherInfo CTR_128_INFO = plain(CTR_128, EVP_CIPH_CTR_MODE, 16, false);
constexpr CipherInfo CTR_192_INFO = plain(CTR_192, EVP_CIPH_CTR_MODE, 24, false);
constexpr CipherInfo CTR_256_INFO = plain(CTR_256, EVP_CIPH_CTR_MODE, 32, false);
constexpr CipherInfo XTS_128_INFO = plain(XTS_128, EVP_CIPH_XTS_MODE, 32, true);
constexpr CipherInfo XTS_256_INFO = plain(XTS_256, EVP_CIPH_XTS_MODE, 64, true);
constexpr CipherInfo CBC_128_INFO = cbc(CBC_128, 16);
constexpr CipherInfo CBC_192_INFO = cbc(CBC_192, 24);
constexpr CipherInfo CBC_256_INFO = cbc(CBC_256, 32);
constexpr CipherInfo TLS_128_SHA1_INFO = tls(TLS_128_SHA1, 16);
constexpr CipherInfo TLS_128_SHA256_INFO = tls(TLS_128_SHA256, 16);
constexpr CipherInfo TLS_256_SHA1_INFO = tls(TLS_256_SHA1, 32);
constexpr CipherInfo TLS_256_SHA256_INFO = tls(TLS_256_SHA256, 32);
constexpr CipherInfo ETM_128_SHA1_INFO = cbc(ETM_128_SHA1, 16, true);
constexpr CipherInfo ETM_128_SHA256_INFO = cbc(ETM_128_SHA256, 16, true);
constexpr CipherInfo ETM_128_SHA512_INFO = cbc(ETM_128_SHA512, 16, true);
constexpr CipherInfo ETM_192_SHA1_INFO = cbc(ETM_192_SHA1, 24, true);
constexpr CipherInfo ETM_192_SHA256_INFO = cbc(ETM_192_SHA256, 24, true);
constexpr CipherInfo ETM_192_SHA512_INFO = cbc(ETM_192_SHA512, 24, true);
constexpr CipherInfo ETM_256_SHA1_INFO = cbc(ETM_256_SHA1, 32, true);
constexpr CipherInfo ETM_256_SHA256_INFO = cbc(ETM_256_SHA256, 32, true);
constexpr CipherInfo ETM_256_SHA512_INFO = cbc(ETM_256_SHA512, 32, true);

template <typename C, const CipherInfo &info>
constexpr Offer offer(const char *names, const char *description) {
    return {info.suite, {names, "provider=cryptostitch", Functions<C, info>::table, description}};
}

}  // namespace

const Offer OFFERS[] = {
    offer<Gcm, GCM_128_INFO>("AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6", "AES-128-GCM"),
    offer<Gcm, GCM_192_INFO>("AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26", "AES-192-GCM"),
    offer<Gcm, GCM_256_INFO>("AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46", "AES-256-GCM"),
    offer<Ctr, CTR_128_INFO>("AES-128-CTR", "AES-128 in counter mode"),
    offer<Ctr, CTR_192_INFO>("AES-192-CTR", "AES-192 in counter mode"),
    offer<Ctr, CTR_256_INFO>("AES-256-CTR", "AES-256 in counter mode"),
    offer<Xts, XTS_128_INFO>("AES-128-XTS:1.3.111.2.1619.0.1.1", "AES-128-XTS"),
    offer<Xts, XTS_256_INFO>("AES-256-XTS:1.3.111.2.1619.0.1.2", "AES-256-XTS"),
    offer<Cbc, CBC_128_INFO>("AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2", "AES-128-CBC"),
    offer<Cbc, CBC_192_INFO>("AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22", "AES-192-CBC"),
    offer<Cbc, CBC_256_INFO>("AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42", "AES-256-CBC"),
    offer<Ccm, CCM_128_INFO>("AES-128-CCM:id-aes128-CCM:2.16.840.1.101.3.4.1.7", "AES-128-CCM"),
    offer<Ccm, CCM_256_INFO>("AES-256-CCM:id-aes256-CCM:2.16.840.1.101.3.4.1.47", "AES-256-CCM"),
    offer<ChaChaPoly, CHACHA_INFO>("ChaCha20-Poly1305", "ChaCha20-Poly1305"),
    offer<Tls, TLS_128_SHA256_INFO>("AES-128-CBC-HMAC-SHA256", "AES-128-CBC with HMAC-SHA256 as in TLS"),
    offer<Tls, TLS_256_SHA256_INFO>("AES-256-CBC-HMAC-SHA256", "AES-256-CBC with HMAC-SHA256 as in TLS"),
    offer<Tls, TLS_128_SHA1_INFO>("AES-128-CBC-HMAC-SHA1", "AES-128-CBC with HMAC-SHA1 as in TLS, stitched"),
    offer<Tls, TLS_256_SHA1_INFO>("AES-256-CBC-HMAC-SHA1", "AES-256-CBC with HMAC-SHA1 as in TLS, stitched"),
    offer<Etm, ETM_128_SHA1_INFO>("AES-128-CBC-HMAC-SHA1-ETM", "AES-128-CBC, then HMAC-SHA1, stitched"),
    offer<Etm, ETM_128_SHA256_INFO>("AES-128-CBC-HMAC-SHA256-ETM", "AES-128-CBC, then HMAC-SHA256, stitched"),
    offer<Etm, ETM_128_SHA512_INFO>("AES-128-CBC-HMAC-SHA512-ETM", "AES-128-CBC, then HMAC-SHA512, stitched"),
    offer<Etm, ETM_192_SHA1_INFO>("AES-192-CBC-HMAC-SHA1-ETM", "AES-192-CBC, then HMAC-SHA1, stitched"),
    offer<Etm, ETM_192_SHA256_INFO>("AES-192-CBC-HMAC-SHA256-ETM", "AES-192-CBC, then HMAC-SHA256, stitched"),
    offer<Etm, ETM_192_SHA512_INFO>("AES-192-CBC-HMAC-SHA512-ETM", "AES-192-CBC, then HMAC-SHA512, stitched"),
    offer<Etm, ETM_256_SHA1_INFO>("AES-256-CBC-HMAC-SHA1-ETM", "AES-256-CBC, then HMAC-SHA1, stitched"),
    offer<Etm, ETM_256_SHA256_INFO>("AES-256-CBC-HMAC-SHA256-ETM", "AES-256-CBC, then HMAC-SHA256, stitched"),
    offer<Etm, ETM_256_SHA512_INFO>("AES-256-CBC-HMAC-SHA512-ETM", "AES-256-CBC, then HMAC-SHA512, stitched")};
const size_t OFFER_COUNT = sizeof(OFFERS) / sizeof(*OFFERS);

const OSSL_ALGORITHM CMAC = {"CMAC", "provider=cryptostitch", CMAC_FUNCTIONS, "CMAC with AES"};

}  // namespace cst::ossl
