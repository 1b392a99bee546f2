// P-256 in the encodings that libcrypto reads and writes (RFC 5208, 5; RFC 5915, 3; RFC 3279, 2.2.3; RFC 5480, 2).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace bench {

constexpr size_t P256_BYTES = 32, P256_SIGNATURE = 2 * P256_BYTES;

// The other side of all agreements: the public key of RFC 6979, A.2.5.
constexpr uint8_t P256_PEER[] = {0x04, 0x60, 0xfe, 0xd4, 0xba, 0x25, 0x5a, 0x9d, 0x31, 0xc9, 0x61, 0xeb, 0x74,
                                 0xc6, 0x35, 0x6d, 0x68, 0xc0, 0x49, 0xb8, 0x92, 0x3b, 0x61, 0xfa, 0x6c, 0xe6,
                                 0x69, 0x62, 0x2e, 0x60, 0xf2, 0x9f, 0xb6, 0x79, 0x03, 0xfe, 0x10, 0x08, 0xb8,
                                 0xbc, 0x99, 0xa4, 0x1a, 0xe9, 0xe9, 0x56, 0x28, 0xbc, 0x64, 0xf2, 0xf1, 0xb2,
                                 0x0c, 0x2d, 0x7e, 0x9f, 0x51, 0x77, 0xa3, 0xc2, 0x94, 0xd4, 0x46, 0x22, 0x99};

// PrivateKeyInfo of 32 bytes.
inline std::vector<uint8_t> p256_private(const uint8_t *secret) {
    std::vector<uint8_t> der = {0x30, 0x41, 2, 1,    0,    0x30, 0x13, 6,    7,    0x2a, 0x86,      0x48,
                                0xce, 0x3d, 2, 1,    6,    8,    0x2a, 0x86, 0x48, 0xce, 0x3d,      3,
                                1,    7,    4, 0x27, 0x30, 0x25, 2,    1,    1,    4,    P256_BYTES};
    der.insert(der.end(), secret, secret + P256_BYTES);
    return der;
}

// SubjectPublicKeyInfo of the other side.
inline std::vector<uint8_t> p256_peer() {
    std::vector<uint8_t> der = {0x30, 0x59, 0x30, 0x13, 6,    7,    0x2a, 0x86, 0x48, 0xce, 0x3d, 2,    1,
                                6,    8,    0x2a, 0x86, 0x48, 0xce, 0x3d, 3,    1,    7,    3,    0x42, 0};
    der.insert(der.end(), std::begin(P256_PEER), std::end(P256_PEER));
    return der;
}

// ECDSA-Sig-Value of r and s.
inline std::vector<uint8_t> ecdsa_der(const uint8_t *raw) {
    std::vector<uint8_t> der = {0x30, 0};
    for (const uint8_t *n = raw; n < raw + P256_SIGNATURE; n += P256_BYTES) {
        const uint8_t *first = std::find_if(n, n + P256_BYTES - 1, [](uint8_t byte) { return byte != 0; });
        const size_t bytes = size_t(n + P256_BYTES - first), zero = *first >> 7;
        der.insert(der.end(), {2, uint8_t(bytes + zero)});
        der.insert(der.end(), zero, 0);
        der.insert(der.end(), first, n + P256_BYTES);
    }
    der[1] = uint8_t(der.size() - 2);
    return der;
}

// r and s of what libcrypto has written.
inline void ecdsa_raw(const uint8_t *der, uint8_t *raw) {
    const uint8_t *at = der + 2;
    for (uint8_t *n = raw; n < raw + P256_SIGNATURE; n += P256_BYTES) {
        const size_t bytes = at[1], skip = bytes > P256_BYTES;
        memset(n, 0, P256_BYTES);
        memcpy(n + P256_BYTES - (bytes - skip), at + 2 + skip, bytes - skip);
        at += 2 + bytes;
    }
}

}  // namespace bench
