// Ends MurmurHash3 (x64, 128 bits; A. Appleby, in the public domain): adds the bytes behind the last whole block, and
// the length. Kernels hash the whole blocks (streams/murmur3.j2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cst {

constexpr size_t MURMUR_BLOCK = 16;

// Ends the hash of `bytes` bytes, whose whole blocks made h, with those that fill no block.
inline void murmur_end(const uint8_t *h, const uint8_t *rest, uint64_t bytes, uint8_t *digest) {
    constexpr uint64_t C1 = 0x87c37b91114253d5, C2 = 0x4cf5ad432745937f;
    const auto left = [](uint64_t x, int n) { return x << n | x >> (64 - n); };
    const auto scatter = [](uint64_t x) {
        x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
        x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
        return x ^ x >> 33;
    };
    uint64_t h1, h2, k1 = 0, k2 = 0;
    memcpy(&h1, h, sizeof(h1));
    memcpy(&h2, h + 8, sizeof(h2));
    for (size_t n = size_t(bytes % MURMUR_BLOCK); n--;) (n < 8 ? k1 : k2) |= uint64_t(rest[n]) << 8 * (n % 8);
    h1 ^= left(k1 * C1, 31) * C2 ^ bytes;
    h2 ^= left(k2 * C2, 33) * C1 ^ bytes;
    h1 += h2;
    h2 += h1;
    h1 = scatter(h1);
    h2 = scatter(h2);
    h1 += h2;
    h2 += h1;
    memcpy(digest, &h1, sizeof(h1));
    memcpy(digest + 8, &h2, sizeof(h2));
}

}  // namespace cst
