// Multi-hash SHA-1 and SHA-256 by their definition, on libcrypto's compression functions.
#pragma once

#include <openssl/sha.h>

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
        return digest;
    }
};
using MultiSha1 = MultiHash<SHA_CTX>;
using MultiSha256 = MultiHash<SHA256_CTX>;

}  // namespace soak
