#include "evp.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

enum { IV = 12, TAG = 16, NUMBER = 4 };

struct evp_key {
    EVP_CIPHER_CTX *aead, *mask;
    uint8_t iv[IV];
    int chacha;
};

struct evp_key *evp_key_new(const char *algorithm, const uint8_t *key, const uint8_t *iv, const uint8_t *hp,
                            int opens) {
    struct evp_key *made = calloc(1, sizeof *made);
    if (!made) abort();
    made->chacha = algorithm[0] == 'c';
    made->aead = EVP_CIPHER_CTX_new();
    made->mask = EVP_CIPHER_CTX_new();
    memcpy(made->iv, iv, IV);
    const int wide = made->chacha || strstr(algorithm, "256") != NULL;
    const EVP_CIPHER *aead = made->chacha ? EVP_chacha20_poly1305() : wide ? EVP_aes_256_gcm() : EVP_aes_128_gcm();
    const EVP_CIPHER *mask = made->chacha ? EVP_chacha20() : wide ? EVP_aes_256_ecb() : EVP_aes_128_ecb();
    if (!EVP_CipherInit_ex(made->aead, aead, NULL, key, iv, !opens) ||
        !EVP_EncryptInit_ex(made->mask, mask, NULL, hp, NULL) || !EVP_CIPHER_CTX_set_padding(made->mask, 0))
        abort();
    return made;
}

void evp_key_free(struct evp_key *key) {
    EVP_CIPHER_CTX_free(key->aead);
    EVP_CIPHER_CTX_free(key->mask);
    free(key);
}

static void nonce_of(const struct evp_key *key, uint64_t number, uint8_t *nonce) {
    memcpy(nonce, key->iv, IV);
    for (int i = 0; i < 8; i++) nonce[IV - 1 - i] ^= (uint8_t)(number >> 8 * i);
}

static void mask_of(struct evp_key *key, const uint8_t *sample, uint8_t *mask) {
    static const uint8_t zeros[5];
    int n;
    if (key->chacha && !EVP_EncryptInit_ex(key->mask, NULL, NULL, NULL, sample)) abort();
    if (!EVP_EncryptUpdate(key->mask, mask, &n, key->chacha ? zeros : sample, key->chacha ? 5 : 16)) abort();
}

void evp_seal(struct evp_key *key, uint8_t *packet, size_t header_bytes, size_t payload_bytes, uint64_t number) {
    uint8_t nonce[IV], mask[16], *const at = packet + header_bytes - NUMBER, *const payload = packet + header_bytes;
    int n;
    packet[0] |= NUMBER - 1;
    for (int i = 0; i < NUMBER; i++) at[i] = (uint8_t)(number >> 8 * (NUMBER - 1 - i));
    nonce_of(key, number, nonce);
    if (!EVP_EncryptInit_ex(key->aead, NULL, NULL, NULL, nonce) ||
        !EVP_EncryptUpdate(key->aead, NULL, &n, packet, (int)header_bytes) ||
        !EVP_EncryptUpdate(key->aead, payload, &n, payload, (int)payload_bytes) ||
        !EVP_EncryptFinal_ex(key->aead, payload + n, &n) ||
        !EVP_CIPHER_CTX_ctrl(key->aead, EVP_CTRL_AEAD_GET_TAG, TAG, payload + payload_bytes))
        abort();
    mask_of(key, at + 4, mask);
    packet[0] ^= mask[0] & (packet[0] & 0x80 ? 0x0f : 0x1f);
    for (int i = 0; i < NUMBER; i++) at[i] ^= mask[1 + i];
}

int evp_open(struct evp_key *key, uint8_t *packet, size_t bytes, size_t number_at, uint64_t *number) {
    uint8_t nonce[IV], mask[16], *const at = packet + number_at, *const payload = at + NUMBER;
    const size_t header_bytes = number_at + NUMBER, payload_bytes = bytes - header_bytes - TAG;
    int n;
    mask_of(key, at + 4, mask);
    packet[0] ^= mask[0] & (packet[0] & 0x80 ? 0x0f : 0x1f);
    *number = 0; /* below 2^32 here: it needs no decoding */
    for (int i = 0; i < NUMBER; i++) *number = *number << 8 | (at[i] ^= mask[1 + i]);
    nonce_of(key, *number, nonce);
    return EVP_DecryptInit_ex(key->aead, NULL, NULL, NULL, nonce) &&
           EVP_CIPHER_CTX_ctrl(key->aead, EVP_CTRL_AEAD_SET_TAG, TAG, payload + payload_bytes) &&
           EVP_DecryptUpdate(key->aead, NULL, &n, packet, (int)header_bytes) &&
           EVP_DecryptUpdate(key->aead, payload, &n, payload, (int)payload_bytes) &&
           EVP_DecryptFinal_ex(key->aead, payload + n, &n) > 0;
}
