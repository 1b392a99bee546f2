// Multi-hash SHA-1 and SHA-256 by their definition, on libcrypto's compression functions; MurmurHash3.
#pragma once

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "random.hpp"

namespace soak {

template <typename State>
struct CompressionOf;
template <>
struct CompressionOf<SHA_CTX> {
    static constexpr size_t WORDS = 5;
    static void begin(SHA_CTX *state) { SHA1_Init(state); }
    static void compress(SHA_CTX *state, const uint8_t *block) { SHA1_Transform(state, block); }
    static std::array<uint32_t, WORDS> words(const SHA_CTX &s) { return {s.h0, s.h1, s.h2, s.h3, s.h4}; }
    static void hash(const uint8_t *text, size_t n, uint8_t *digest) { SHA1(text, n, digest); }
};
template <>
struct CompressionOf<SHA256_CTX> {
    static constexpr size_t WORDS = 8;
    static void begin(SHA256_CTX *state) { SHA256_Init(state); }
    static void compress(SHA256_CTX *state, const uint8_t *block) { SHA256_Transform(state, block); }
    static std::array<uint32_t, WORDS> words(const SHA256_CTX &s) {
        std::array<uint32_t, WORDS> words;
        for (size_t i = 0; i < WORDS; i++) words[i] = s.h[i];
        return words;
    }
    static void hash(const uint8_t *text, size_t n, uint8_t *digest) { SHA256(text, n, digest); }
};

template <typename State>
class MultiHash {
    using Its = CompressionOf<State>;
    static constexpr size_t SEGMENTS = 16, BLOCK = 1024, ROWS = 16;

public:
    static Bytes of(Bytes text) {
        const uint64_t bits = 8 * uint64_t(text.size());
        text.push_back(0x80);
        while (text.size() % BLOCK != BLOCK - sizeof(bits)) text.push_back(0);
        for (int shift = 56; shift >= 0; shift -= 8) text.push_back(uint8_t(bits >> shift));
        uint32_t words[Its::WORDS][SEGMENTS];
        for (size_t segment = 0; segment < SEGMENTS; segment++) {
            State state;
            Its::begin(&state);
            for (size_t at = 0; at < text.size(); at += BLOCK) {
                uint8_t block[4 * ROWS];
                for (size_t row = 0; row < ROWS; row++)
                    memcpy(block + 4 * row, text.data() + at + 4 * (SEGMENTS * row + segment), 4);
                Its::compress(&state, block);
            }
            const auto its = Its::words(state);
            for (size_t i = 0; i < Its::WORDS; i++) words[i][segment] = its[i];
        }
        Bytes digest(4 * Its::WORDS);
        Its::hash(reinterpret_cast<const uint8_t *>(words), sizeof(words), digest.data());
        for (size_t at = 0; at < digest.size(); at += 4)  // stored as little-endian words
            std::reverse(digest.begin() + long(at), digest.begin() + long(at) + 4);
        return digest;
    }
};
// Appends MurmurHash3 of the text (x64, 128 bits, seed 0).
inline void put_murmur3(Bytes text, Bytes *tag) {
    const uint64_t bytes = text.size(), c1 = 0x87c37b91114253d5, c2 = 0x4cf5ad432745937f;
    const auto left = [](uint64_t x, int n) { return x << n | x >> (64 - n); };
    const auto scatter = [](uint64_t x) {
        for (const uint64_t factor : {0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53}) x = (x ^ x >> 33) * factor;
        return x ^ x >> 33;
    };
    uint64_t h[2] = {}, k[2] = {};
    text.resize((bytes + 15) / 16 * 16);
    for (uint64_t at = 0; at < text.size(); at += 16) {
        memcpy(k, text.data() + at, sizeof(k));
        const bool whole = bytes - at >= 16;
        h[0] ^= left(k[0] * c1, 31) * c2;
        if (whole) h[0] = (left(h[0], 27) + h[1]) * 5 + 0x52dce729;
        h[1] ^= left(k[1] * c2, 33) * c1;
        if (whole) h[1] = (left(h[1], 31) + h[0]) * 5 + 0x38495ab5;
    }
    for (uint64_t &its : h) its ^= bytes;
    h[0] += h[1], h[1] += h[0];
    for (uint64_t &its : h) its = scatter(its);
    h[0] += h[1], h[1] += h[0];
    const uint8_t *const bytes_of = reinterpret_cast<const uint8_t *>(h);
    tag->insert(tag->end(), bytes_of, bytes_of + sizeof(h));
}

using MultiSha1 = MultiHash<SHA_CTX>;
using MultiSha256 = MultiHash<SHA256_CTX>;

}  // namespace soak
