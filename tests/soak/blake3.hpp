// BLAKE3 by its definition (J. O'Connor et al., 2020): libcrypto has none.
#pragma once

#include <array>
#include <cstring>

#include "random.hpp"

namespace soak {

class Blake3 {
public:
    static Bytes of(const Bytes &text) { return Blake3(START, 0).digest(text); }
    // 2.3: `key` has 32 bytes.
    static Bytes keyed(const Bytes &key, const Bytes &text) { return Blake3(words_of(key), KEYED_HASH).digest(text); }
    static Bytes derived(const Bytes &context, const Bytes &material) {
        const Bytes key = Blake3(START, DERIVE_KEY_CONTEXT).digest(context);
        return Blake3(words_of(key), DERIVE_KEY_MATERIAL).digest(material);
    }

private:
    typedef std::array<uint32_t, 8> Words;
    enum : uint32_t {
        CHUNK_START = 1,
        CHUNK_END = 2,
        PARENT = 4,
        ROOT = 8,
        KEYED_HASH = 16,
        DERIVE_KEY_CONTEXT = 32,
        DERIVE_KEY_MATERIAL = 64
    };

    Blake3(const Words &key, uint32_t mode) : key_(key), mode_(mode) {}
    static Words words_of(const Bytes &bytes) {
        Words words;
        memcpy(words.data(), bytes.data(), sizeof(words));
        return words;
    }
    Bytes digest(const Bytes &text) const {
        const Words words = subtree(text.data(), text.size(), 0, ROOT);
        Bytes digest(sizeof(words));
        memcpy(digest.data(), words.data(), sizeof(words));
        return digest;
    }

    static constexpr size_t BLOCK = 64, CHUNK = 1024;
    static constexpr Words START = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    static uint32_t turned(uint32_t x, int n) { return x >> n | x << (32 - n); }

    // 2.2
    Words compress(const Words &chain, const uint8_t *block, size_t bytes, uint64_t number, uint32_t flags) const {
        static const int PERMUTATION[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
        uint32_t m[16] = {}, v[16];
        if (bytes) memcpy(m, block, bytes);
        for (size_t i = 0; i < 8; i++) v[i] = chain[i];
        for (size_t i = 0; i < 4; i++) v[8 + i] = START[i];
        v[12] = uint32_t(number), v[13] = uint32_t(number >> 32), v[14] = uint32_t(bytes), v[15] = flags | mode_;
        for (int round = 0; round < 7; round++) {
            for (int i = 0; i < 8; i++) {
                const int shift = i / 4;
                uint32_t &a = v[i % 4], &b = v[4 + (i + shift) % 4], &c = v[8 + (i + 2 * shift) % 4],
                         &d = v[12 + (i + 3 * shift) % 4];
                for (int half = 0; half < 2; half++) {
                    a += b + m[2 * i + half];
                    d = turned(d ^ a, half ? 8 : 16);
                    c += d;
                    b = turned(b ^ c, half ? 7 : 12);
                }
            }
            uint32_t next[16];
            for (int i = 0; i < 16; i++) next[i] = m[PERMUTATION[i]];
            memcpy(m, next, sizeof(m));
        }
        Words out;
        for (size_t i = 0; i < 8; i++) out[i] = v[i] ^ v[8 + i];
        return out;
    }

    // 2.1: to the left is the largest complete subtree that leaves something to the right.
    Words subtree(const uint8_t *text, size_t bytes, uint64_t chunk, uint32_t root) const {
        if (bytes <= CHUNK) {
            Words chain = key_;
            for (size_t at = 0;; at += BLOCK) {
                const bool last = bytes - at <= BLOCK;
                uint32_t flags = last ? CHUNK_END | root : 0;
                if (!at) flags |= CHUNK_START;
                chain = compress(chain, text + at, last ? bytes - at : BLOCK, chunk, flags);
                if (last) return chain;
            }
        }
        size_t left = CHUNK;
        while (2 * left < bytes) left *= 2;
        const Words children[] = {subtree(text, left, chunk, 0),
                                  subtree(text + left, bytes - left, chunk + left / CHUNK, 0)};
        return compress(key_, reinterpret_cast<const uint8_t *>(children), BLOCK, 0, PARENT | root);
    }

    const Words key_;
    const uint32_t mode_;
};

}  // namespace soak
