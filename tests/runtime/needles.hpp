// Secrets by their bytes, as `residue.hpp` looks for them, and what is secret in a key object.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "residue.hpp"

namespace residue {

class Needles {
public:
    void clear() { values_.clear(); }
    void bytes(const uint8_t *data, size_t size, size_t step) {
        for (size_t i = 0; i + 8 <= size; i += step) add(load(data + i));
        for (size_t i = 0; i + 4 <= size; i += 4) {
            uint32_t word;
            memcpy(&word, data + i, 4);
            add(word | uint64_t(word) << 32);
            add(__builtin_bswap32(word) | uint64_t(__builtin_bswap32(word)) << 32);
            if (i + 8 <= size) add(__builtin_bswap64(load(data + i)) >> 32 | __builtin_bswap64(load(data + i)) << 32);
        }
    }
    void ready() {
        std::sort(values_.begin(), values_.end());
        values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
        memset(filter_, 0, sizeof filter_);
        residue::generation++;
        for (uint64_t v : values_) filter_[v & 0xffff] = true;
    }
    // The offset of the first needle in the haystack; -1: none.
    long in(const uint8_t *data, size_t size) const {
        for (size_t i = 0; i + 8 <= size; i++) {
            const uint64_t v = load(data + i);
            if (filter_[v & 0xffff] && std::binary_search(values_.begin(), values_.end(), v)) return long(i);
        }
        return -1;
    }

private:
    static uint64_t load(const uint8_t *p) {
        uint64_t v;
        memcpy(&v, p, 8);
        return v;
    }
    // Halves of pointers and small numbers have zero bytes, and fill patterns are all alike; they are no secrets.
    void add(uint64_t v) {
        if (v == (v << 8 | v >> 56)) return;
        for (int i = 0; i < 8; i++)
            if (!(v >> 8 * i & 0xff)) return;
        values_.push_back(v);
    }
    std::vector<uint64_t> values_;
    bool filter_[1 << 16] = {};
};

inline bool is_address(uint64_t word) { return word >> 48 == 0 && word >> 32 != 0; }

// Every aligned word of the library's memory. What is there before a key is made is no secret of that key: the initial
// values of hashes, for one, which key objects hold too.
inline std::vector<uint64_t> known_words() {
    std::vector<uint64_t> words;
    for (size_t i = 0; i < n_blocks; i++)
        for (size_t at = 0; at + 8 <= blocks[i].size; at += 4) {
            words.emplace_back();
            memcpy(&words.back(), blocks[i].at + at, 8);
        }
    std::sort(words.begin(), words.end());
    return words;
}

// Zeros in the place of what is no secret: with them no needle is made.
inline std::vector<uint8_t> secrets_of(const Block &key, const std::vector<uint64_t> &known) {
    std::vector<uint8_t> copy(key.at, key.at + key.size);
    for (size_t at = 0; at + 8 <= key.size; at += 8) {
        uint64_t word;
        memcpy(&word, &copy[at], 8);
        if (is_address(word) || std::binary_search(known.begin(), known.end(), word)) memset(&copy[at], 0, 8);
    }
    return copy;
}

}  // namespace residue
