// Portable, slow, obvious: the compression functions and the block cipher that the mock kernels are made of.
#pragma once

#include <cstdint>
#include <cstring>

namespace mock {

inline uint32_t rotl(uint32_t x, int n) { return x << n | x >> (32 - n); }
inline uint32_t rotr(uint32_t x, int n) { return x >> n | x << (32 - n); }
inline uint64_t rotr64(uint64_t x, int n) { return x >> n | x << (64 - n); }
inline uint32_t be32(const uint8_t *p) { return uint32_t(p[0]) << 24 | p[1] << 16 | p[2] << 8 | p[3]; }
inline uint64_t be64(const uint8_t *p) { return uint64_t(be32(p)) << 32 | be32(p + 4); }
inline uint32_t le32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

void sha1(uint64_t *h, const uint8_t *block);
void sha256(uint64_t *h, const uint8_t *block);
void sha512(uint64_t *h, const uint8_t *block);
void md5(uint64_t *h, const uint8_t *block);
// Round keys in the order of use; decryption: equivalent inverse cipher.
void aes_encrypt(const uint8_t (*keys)[16], int rounds, uint8_t *block);
void aes_decrypt(const uint8_t (*keys)[16], int rounds, uint8_t *block);

}  // namespace mock
