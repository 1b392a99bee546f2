#include "scalar25519.hpp"

#include <cstring>

#include "../../suite/secret.hpp"

namespace cst {
namespace {

typedef unsigned __int128 Wide;
constexpr size_t WORDS = 4;
// L = 2^252 + 27742317777372353535851937790883648493, and floor(2^512 / L)
constexpr uint64_t ORDER[WORDS + 1] = {0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, 0x1000000000000000, 0};
constexpr uint64_t RECIPROCAL[WORDS + 1] = {0xed9ce5a30a2c131b, 0x2106215d086329a7, 0xffffffffffffffeb,
                                            0xffffffffffffffff, 0xf};

// Adds the product of a and b, of N and M words, to `sums`, of N + M words, the product modulo 2^(64 MOST).
template <size_t N, size_t M, size_t MOST = N + M>
void add_product(const uint64_t *a, const uint64_t *b, uint64_t *sums) {
#pragma GCC unroll 5
    for (size_t i = 0; i < N; i++) {
        uint64_t carry = 0;
#pragma GCC unroll 5
        for (size_t j = 0; j < M; j++) {
            if (i + j >= MOST) continue;
            const Wide all = Wide(a[i]) * b[j] + sums[i + j] + carry;
            sums[i + j] = uint64_t(all);
            carry = uint64_t(all >> 64);
        }
#pragma GCC unroll 5
        for (size_t at = i + M; at < MOST; at++) {
            const Wide all = Wide(sums[at]) + carry;
            sums[at] = uint64_t(all);
            carry = uint64_t(all >> 64);
        }
    }
}

// a = a - b, of five words. Returns 1 if that is below zero, else 0.
uint64_t subtract(uint64_t *a, const uint64_t *b) {
    uint64_t borrow = 0;
    for (size_t i = 0; i <= WORDS; i++) {
        const Wide all = Wide(a[i]) - b[i] - borrow;
        a[i] = uint64_t(all);
        borrow = uint64_t(all >> 64) & 1;
    }
    return borrow;
}

// P. Barrett, 1986: the quotient, estimated by the reciprocal, is at most two too small (A. Menezes and others,
// Handbook of Applied Cryptography, 14.42).
Scalar25519 barrett(const uint64_t x[2 * WORDS]) {
    uint64_t quotient[2 * WORDS + 2] = {}, multiple[WORDS + 1] = {}, rest[WORDS + 1], less[WORDS + 1];
    add_product<WORDS + 1, WORDS + 1>(x + WORDS - 1, RECIPROCAL, quotient);
    add_product<WORDS + 1, WORDS, WORDS + 1>(quotient + WORDS + 1, ORDER, multiple);
    memcpy(rest, x, sizeof(rest));
    subtract(rest, multiple);
    for (int twice = 0; twice < 2; twice++) {
        memcpy(less, rest, sizeof(less));
        const uint64_t keep = 0 - subtract(less, ORDER);
        for (size_t i = 0; i <= WORDS; i++) rest[i] = (rest[i] & keep) | (less[i] & ~keep);
    }
    const Scalar25519 out = {{rest[0], rest[1], rest[2], rest[3]}};
    wipe(quotient, sizeof(quotient));
    wipe(multiple, sizeof(multiple));
    wipe(rest, sizeof(rest));
    wipe(less, sizeof(less));
    return out;
}

}  // namespace

Scalar25519 scalar_from_bytes(const uint8_t *bytes) {
    Scalar25519 a;
    memcpy(a.word, bytes, sizeof(a.word));
    return a;
}

void put_scalar(const Scalar25519 &a, uint8_t *bytes) { memcpy(bytes, a.word, sizeof(a.word)); }

bool is_reduced(const Scalar25519 &a) {
    uint64_t less[WORDS + 1] = {a.word[0], a.word[1], a.word[2], a.word[3], 0};
    return subtract(less, ORDER);
}

Scalar25519 reduced(const uint8_t *bytes) {
    uint64_t words[2 * WORDS];
    memcpy(words, bytes, sizeof(words));
    const Scalar25519 out = barrett(words);
    wipe(words, sizeof(words));
    return out;
}

Scalar25519 multiply_add(const Scalar25519 &a, const Scalar25519 &b, const Scalar25519 &c) {
    uint64_t words[2 * WORDS] = {c.word[0], c.word[1], c.word[2], c.word[3]};
    add_product<WORDS, WORDS>(a.word, b.word, words);
    const Scalar25519 out = barrett(words);
    wipe(words, sizeof(words));
    return out;
}

// With half of a digit's range added everywhere no digit borrows from the next one.
void put_digits(const Scalar25519 &a, unsigned bits, int8_t *digits) {
    const size_t n = 256 / bits;
    const uint64_t half = uint64_t(1) << (bits - 1);
    uint64_t halves[WORDS + 1] = {}, sum[WORDS + 1], carry = 0;
    for (size_t at = bits - 1; at < n * bits; at += bits) halves[at / 64] |= uint64_t(1) << at % 64;
    for (size_t w = 0; w < WORDS; w++) {
        const Wide all = Wide(a.word[w]) + halves[w] + carry;
        sum[w] = uint64_t(all);
        carry = uint64_t(all >> 64);
    }
    sum[WORDS] = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t word = i * bits / 64, shift = i * bits % 64;
        const uint64_t digit = uint64_t((Wide(sum[word + 1]) << 64 | sum[word]) >> shift) & (2 * half - 1);
        digits[i] = int8_t(int(digit) - int(half));
    }
    wipe(sum, sizeof(sum));
}

}  // namespace cst
