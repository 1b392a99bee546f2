// Draws that a seed determines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace soak {

using Bytes = std::vector<uint8_t>;

// xoshiro256** (Blackman and Vigna, 2018), seeded by SplitMix64 from any number of words.
class Random {
public:
    explicit Random(std::initializer_list<uint64_t> words) {
        uint64_t x = 0;
        for (uint64_t word : words) x = mix(x ^ word);
        for (uint64_t &s : s_) s = x = mix(x);
    }
    uint64_t next() {
        const uint64_t result = rotate(s_[1] * 5, 7) * 9, t = s_[1] << 17;
        s_[2] ^= s_[0];
        s_[3] ^= s_[1];
        s_[1] ^= s_[2];
        s_[0] ^= s_[3];
        s_[2] ^= t;
        s_[3] = rotate(s_[3], 45);
        return result;
    }
    // Less than n, which is below 2^32.
    uint64_t below(uint64_t n) { return (next() >> 32) * n >> 32; }
    uint64_t between(uint64_t least, uint64_t most) { return least + below(most - least + 1); }
    bool chance(unsigned percent) { return below(100) < percent; }
    template <typename T>
    const T &pick(const std::vector<T> &from) {
        return from[below(from.size())];
    }
    template <typename T>
    T of(std::initializer_list<T> from) {
        return from.begin()[below(from.size())];
    }
    void fill(uint8_t *to, size_t n) {
        for (; n >= 8; n -= 8, to += 8) {
            const uint64_t word = next();
            memcpy(to, &word, 8);
        }
        if (!n) return;
        const uint64_t word = next();
        memcpy(to, &word, n);
    }
    Bytes bytes(size_t n) {
        Bytes made(n);
        fill(made.data(), n);
        return made;
    }

private:
    static uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }
    static uint64_t mix(uint64_t x) {
        x += 0x9e3779b97f4a7c15;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
        x = (x ^ x >> 27) * 0x94d049bb133111eb;
        return x ^ x >> 31;
    }

    uint64_t s_[4];
};

}  // namespace soak
