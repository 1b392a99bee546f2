// Plain arithmetic with large numbers, not constant-time, and the bytes in which a number may lie in memory: for tests
// that look for secrets.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace secret_numbers {

typedef std::vector<uint8_t> Text;

// Words of 64 bits, the lowest first; all numbers of one computation have as many.
typedef std::vector<uint64_t> Number;

inline Number from_little(const Text &bytes, size_t words) {
    Number a(words);
    for (size_t i = 0; i < bytes.size() && i < 8 * words; i++) a[i / 8] |= uint64_t(bytes[i]) << 8 * (i % 8);
    return a;
}
inline Number from_big(const Text &bytes, size_t words) { return from_little({bytes.rbegin(), bytes.rend()}, words); }
inline Number small(uint64_t a, size_t words) {
    Number out(words);
    out[0] = a;
    return out;
}
inline Text little(const Number &a) {
    Text bytes;
    for (const uint64_t word : a)
        for (int i = 0; i < 8; i++) bytes.push_back(uint8_t(word >> 8 * i));
    return bytes;
}

// Returns a - b; *borrow: whether that is below zero.
inline Number less(const Number &a, const Number &b, bool *borrow = nullptr) {
    Number out(a.size());
    unsigned __int128 carry = 0;
    for (size_t i = 0; i < a.size(); i++) {
        const unsigned __int128 all = static_cast<unsigned __int128>(a[i]) - b[i] - carry;
        out[i] = uint64_t(all);
        carry = all >> 127;
    }
    if (borrow) *borrow = carry != 0;
    return out;
}
inline Number plus(const Number &a, const Number &b) {
    Number out(a.size());
    unsigned __int128 carry = 0;
    for (size_t i = 0; i < a.size(); i++) {
        carry += static_cast<unsigned __int128>(a[i]) + b[i];
        out[i] = uint64_t(carry);
        carry >>= 64;
    }
    return out;
}
inline bool bit_of(const Number &a, size_t i) { return i / 64 < a.size() && (a[i / 64] >> i % 64 & 1); }
inline Number shifted_down(const Number &a, unsigned bits) {
    Number out(a.size());
    for (size_t i = 0; i < 64 * a.size(); i++)
        if (bit_of(a, i + bits)) out[i / 64] |= uint64_t(1) << i % 64;
    return out;
}

// Modulo m, of as many words as the operands; words: one more than m needs.
inline Number reduced(const Number &a, const Number &m) {
    Number rest(m.size());
    for (size_t bit = 64 * a.size(); bit--;) {
        rest = plus(rest, rest);
        rest[0] |= bit_of(a, bit);
        bool below;
        const Number other = less(rest, m, &below);
        if (!below) rest = other;
    }
    return rest;
}
inline Number times(const Number &a, const Number &b, const Number &m) {
    Number sum(m.size());
    bool below;
    for (size_t bit = 64 * a.size(); bit--;) {
        sum = plus(sum, sum);
        Number other = less(sum, m, &below);
        if (!below) sum = other;
        if (!bit_of(a, bit)) continue;
        sum = plus(sum, b);
        other = less(sum, m, &below);
        if (!below) sum = other;
    }
    return sum;
}
inline Number power(const Number &a, const Number &exponent, const Number &m) {
    Number out = small(1, m.size());
    for (size_t bit = 64 * exponent.size(); bit--;) {
        out = times(out, out, m);
        if (bit_of(exponent, bit)) out = times(out, a, m);
    }
    return out;
}
inline Number two_to(unsigned exponent, const Number &m) {
    Number out = small(1, m.size());
    for (unsigned i = 0; i < exponent; i++) {
        out = plus(out, out);
        bool below;
        const Number other = less(out, m, &below);
        if (!below) out = other;
    }
    return out;
}
// 1 / a, of a prime m (Fermat)
inline Number inverse(const Number &a, const Number &m) { return power(a, less(m, small(2, m.size())), m); }

// Returns limbs of so many bits, or of two widths in turn.
inline Number limbs(const Number &a, unsigned bits, unsigned second = 0) {
    Number out;
    for (size_t at = 0, i = 0; at < 64 * a.size(); i++) {
        const unsigned width = second && i % 2 ? second : bits;
        uint64_t limb = 0;
        for (unsigned k = 0; k < width; k++) limb |= uint64_t(bit_of(a, at + k)) << k;
        out.push_back(limb);
        at += width;
    }
    return out;
}

}  // namespace secret_numbers
