#include "openssl_xcbc.hpp"

#include <algorithm>
#include <cstring>

namespace bench {

// RFC 3566, 4: K1, K2 and K3 are E(K) of blocks of ones, twos and threes.
bool OpensslXcbc::prepare(const uint8_t *key) {
    uint8_t numbers[48], keys[64];
    for (size_t i = 0; i < sizeof numbers; i++) numbers[i] = uint8_t(1 + i / 16);
    EVP_CIPHER_CTX *ecb = EVP_CIPHER_CTX_new();
    int n = 0;
    bool ok = ecb && EVP_EncryptInit_ex(ecb, EVP_aes_128_ecb(), nullptr, key, nullptr) == 1 && EVP_EncryptUpdate(ecb, keys, &n, numbers, sizeof numbers) == 1 && n == 48;
    EVP_CIPHER_CTX_free(ecb);
    if (!ok) return false;
    memcpy(whole_, keys + 16, 16);
    memcpy(filled_, keys + 32, 16);
    cbc_ = EVP_CIPHER_CTX_new();
    return cbc_ && EVP_EncryptInit_ex(cbc_, EVP_aes_128_cbc(), nullptr, keys, nullptr) == 1 && EVP_CIPHER_CTX_set_padding(cbc_, 0) == 1;
}

bool OpensslXcbc::run(const uint8_t *data, size_t bytes, uint8_t *tag) {
    static const uint8_t zero[16] = {};
    const size_t end = (bytes - 1) / 16 * 16, rest = bytes - end;
    int n = 0;
    if (EVP_EncryptInit_ex(cbc_, nullptr, nullptr, nullptr, zero) != 1) return false;
    for (size_t at = 0; at < end; at += sizeof scratch_)
        if (EVP_EncryptUpdate(cbc_, scratch_, &n, data + at, int(std::min(sizeof scratch_, end - at))) != 1) return false;
    uint8_t last[16] = {};
    memcpy(last, data + end, rest);
    if (rest < 16) last[rest] = 0x80;
    for (size_t i = 0; i < 16; i++) last[i] ^= rest == 16 ? whole_[i] : filled_[i];
    return EVP_EncryptUpdate(cbc_, tag, &n, last, 16) == 1 && n == 16;
}

} // namespace bench
