#include "openssl_xcbc.hpp"

#include <algorithm>
#include <cstring>

namespace bench {

// K1, K2, K3 are the blocks of ones, twos, threes, encrypted under K.
bool Xcbc::prepare(const uint8_t *key) {
    EVP_CIPHER *cbc = crypto_.EVP_CIPHER_fetch(nullptr, "AES-128-CBC", nullptr),
               *ecb = crypto_.EVP_CIPHER_fetch(nullptr, "AES-128-ECB", nullptr);
    uint8_t numbers[48], derived[48];
    for (int k = 0; k < 3; k++) memset(numbers + 16 * k, k + 1, 16);
    ctx_ = crypto_.EVP_CIPHER_CTX_new();
    int n = 0;
    const bool ok = cbc && ecb && crypto_.EVP_CipherInit_ex2(ctx_, ecb, key, nullptr, 1, nullptr) == 1 &&
                    crypto_.EVP_CipherUpdate(ctx_, derived, &n, numbers, 48) == 1 &&
                    crypto_.EVP_CipherInit_ex2(ctx_, cbc, derived, nullptr, 1, nullptr) == 1 &&
                    crypto_.EVP_CIPHER_CTX_set_padding(ctx_, 0) == 1;
    memcpy(whole_, derived + 16, 16);
    memcpy(padded_, derived + 32, 16);
    crypto_.EVP_CIPHER_free(cbc);
    crypto_.EVP_CIPHER_free(ecb);
    return ok;
}

bool Xcbc::run(const uint8_t *data, size_t bytes, uint8_t *tag) {
    static const uint8_t ZERO[16] = {};
    const size_t tail = (bytes - 1) % 16 + 1, before = bytes - tail;
    uint8_t last[16] = {};
    memcpy(last, data + before, tail);
    if (tail < 16) last[tail] = 0x80;
    for (int k = 0; k < 16; k++) last[k] ^= tail < 16 ? padded_[k] : whole_[k];
    int n = 0;
    if (crypto_.EVP_CipherInit_ex2(ctx_, nullptr, nullptr, ZERO, -1, nullptr) != 1) return false;
    for (size_t at = 0; at < before; at += sizeof sealed_)
        if (crypto_.EVP_CipherUpdate(ctx_, sealed_, &n, data + at, int(std::min(sizeof sealed_, before - at))) != 1)
            return false;
    return crypto_.EVP_CipherUpdate(ctx_, tag, &n, last, 16) == 1 && n == 16;
}

} // namespace bench
