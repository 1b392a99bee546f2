#include "tls.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <cstring>

namespace bench {

void tls_head(uint64_t sequence, uint8_t head[11]) {
    for (int i = 0; i < 8; i++) head[i] = uint8_t(sequence >> (56 - 8 * i));
    head[8] = TLS_TYPE;
    memcpy(head + 9, TLS_VERSION, 2);
}

bool tls_seal(const Row &row, const Buffer &buffer, uint64_t sequence, const uint8_t *iv, const uint8_t *text,
              size_t bytes, uint8_t *out) {
    const size_t mac = hash_bytes(row.hash), sealed = tls_ciphertext_bytes(row, bytes);
    std::vector<uint8_t> message(13 + sealed); // head, length, then what is encrypted
    tls_head(sequence, message.data());
    message[11] = uint8_t(bytes >> 8);
    message[12] = uint8_t(bytes);
    memcpy(message.data() + 13, text, bytes);
    const EVP_MD *md = EVP_get_digestbyname(row.hash.c_str());
    uint8_t code[EVP_MAX_MD_SIZE];
    if (!md || !HMAC(md, buffer.mac_key, 32, message.data(), 13 + bytes, code, nullptr)) return false;
    memcpy(message.data() + 13 + bytes, code, mac);
    const size_t padding = sealed - bytes - mac;
    memset(message.data() + 13 + bytes + mac, int(padding - 1), padding);

    const EVP_CIPHER *cipher = row.key_bits == 128   ? EVP_aes_128_cbc()
                               : row.key_bits == 192 ? EVP_aes_192_cbc()
                                                     : EVP_aes_256_cbc();
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n = 0;
    bool ok = EVP_EncryptInit_ex2(ctx, cipher, buffer.key, iv, nullptr) == 1 &&
              EVP_CIPHER_CTX_set_padding(ctx, 0) == 1 &&
              EVP_EncryptUpdate(ctx, out, &n, message.data() + 13, int(sealed)) == 1 && size_t(n) == sealed;
    EVP_CIPHER_CTX_free(ctx);
    return ok;
}

bool tls_is_written(const Row &row, const Buffer &buffer) {
    const uint8_t *at = buffer.out, *end = buffer.out + buffer.out_bytes;
    std::vector<uint8_t> expected(TLS_LONGEST + 64);
    uint64_t sequence = buffer.sequence;
    for (size_t done = 0; done < buffer.bytes; sequence++) {
        if (size_t(end - at) < TLS_HEADER + TLS_IV || at[0] != TLS_TYPE || memcmp(at + 1, TLS_VERSION, 2) != 0)
            return false;
        const size_t payload = size_t(at[3]) << 8 | at[4];
        const uint8_t *iv = at + TLS_HEADER, *sealed = iv + TLS_IV;
        if (payload < TLS_IV || payload > TLS_IV + expected.size() || size_t(end - iv) < payload) return false;
        // The padding's length cannot be read off: of the 16 texts that fit, the right one is the one whose seal this
        // is.
        const size_t cipher = payload - TLS_IV, mac = hash_bytes(row.hash);
        size_t text = 0;
        for (size_t n = std::min({cipher - std::min(cipher, mac + 1), TLS_LONGEST, buffer.bytes - done});
             n > 0 && !text; n--) {
            if (tls_ciphertext_bytes(row, n) != cipher) break;
            if (!tls_seal(row, buffer, sequence, iv, buffer.in + done, n, expected.data())) return false;
            if (memcmp(expected.data(), sealed, cipher) == 0) text = n;
        }
        if (!text) return false;
        done += text;
        at = iv + payload;
    }
    return true;
}

} // namespace bench
