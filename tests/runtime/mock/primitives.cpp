#include "primitives.hpp"

#include <cmath>

namespace mock {
namespace {

// Fractional bits of roots of primes, exactly: the constants of SHA-2.
using u128 = unsigned __int128;

uint64_t fraction(uint64_t prime, int root) {
    // floor(prime^(1/root) * 2^64) mod 2^64, by bisection on 128-bit powers of (value / 2^64)
    long double estimate = root == 2 ? sqrtl((long double)prime) : cbrtl((long double)prime);
    uint64_t whole = uint64_t(estimate);
    uint64_t low = 0;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t trial = low | uint64_t(1) << bit;
        // compare (whole + trial/2^64)^root with prime, in 192/256-bit limbs
        uint64_t a[2] = {trial, whole};
        uint64_t p[8] = {1};
        int n = 1;
        for (int k = 0; k < root; k++) {
            uint64_t q[8] = {};
            for (int i = 0; i < n; i++) {
                uint64_t carry = 0;
                for (int j = 0; j < 2; j++) {
                    u128 t = u128(p[i]) * a[j] + q[i + j] + carry;
                    q[i + j] = uint64_t(t);
                    carry = uint64_t(t >> 64);
                }
                q[i + 2] += carry;
            }
            n += 2;
            for (int i = 0; i < n && i < 8; i++) p[i] = q[i];
        }
        if (p[root] < prime) low = trial;  // the integer part sits at limb `root`
    }
    return low;
}

struct Constants {
    uint64_t k[80];
    uint32_t t[64];
    Constants() {
        int n = 0;
        for (uint64_t candidate = 2; n < 80; candidate++) {
            bool prime = true;
            for (uint64_t d = 2; d * d <= candidate; d++) prime = prime && candidate % d;
            if (prime) k[n++] = fraction(candidate, 3);
        }
        for (int i = 0; i < 64; i++)
            t[i] = uint32_t(int64_t(std::floor(std::fabs(std::sin(double(i + 1))) * 4294967296.0)));
    }
};
const Constants &constants() {
    static const Constants c;
    return c;
}

struct Box {
    uint8_t forward[256], inverse[256];
    static uint8_t times(uint8_t a, uint8_t b) {
        uint8_t r = 0;
        for (; b; b >>= 1, a = uint8_t(a << 1 ^ (a >> 7) * 0x1b))
            if (b & 1) r ^= a;
        return r;
    }
    Box() {
        for (int i = 0; i < 256; i++) {
            uint8_t inv = 0;
            for (int j = 1; j < 256 && i; j++)
                if (times(uint8_t(i), uint8_t(j)) == 1) inv = uint8_t(j);
            uint8_t s = 0x63;
            for (int r = 0; r < 5; r++) s ^= uint8_t(inv << r | inv >> (8 - r));
            forward[i] = s;
            inverse[s] = uint8_t(i);
        }
    }
};
const Box &box() {
    static const Box b;
    return b;
}

void mix(uint8_t *s, const uint8_t *m) {
    for (int c = 0; c < 4; c++) {
        uint8_t t[4];
        for (int r = 0; r < 4; r++) {
            t[r] = 0;
            for (int k = 0; k < 4; k++) t[r] ^= Box::times(m[(k - r) & 3], s[4 * c + k]);
        }
        memcpy(s + 4 * c, t, 4);
    }
}

void rounds_of(const uint8_t (*keys)[16], int rounds, uint8_t *s, const uint8_t *table, int direction,
               const uint8_t *m) {
    for (int i = 0; i < 16; i++) s[i] ^= keys[0][i];
    for (int round = 1; round <= rounds; round++) {
        uint8_t t[16];
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 4; r++) t[4 * c + r] = table[s[4 * ((c + direction * r) & 3) + r]];
        if (round != rounds) mix(t, m);
        for (int i = 0; i < 16; i++) s[i] = t[i] ^ keys[round][i];
    }
}

}  // namespace

void sha1(uint64_t *h, const uint8_t *block) {
    uint32_t w[80], v[5];
    for (int i = 0; i < 16; i++) w[i] = be32(block + 4 * i);
    for (int i = 16; i < 80; i++) w[i] = rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < 5; i++) v[i] = uint32_t(h[i]);
    for (int i = 0; i < 80; i++) {
        uint32_t f = i < 20              ? (v[1] & v[2]) | (~v[1] & v[3])
                     : i < 40 || i >= 60 ? v[1] ^ v[2] ^ v[3]
                                         : (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3]);
        const uint32_t k[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
        uint32_t t = rotl(v[0], 5) + f + v[4] + k[i / 20] + w[i];
        v[4] = v[3], v[3] = v[2], v[2] = rotl(v[1], 30), v[1] = v[0], v[0] = t;
    }
    for (int i = 0; i < 5; i++) h[i] = uint32_t(h[i] + v[i]);
}

void sha256(uint64_t *h, const uint8_t *block) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++) w[i] = be32(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3,
                 s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    for (int i = 0; i < 8; i++) v[i] = uint32_t(h[i]);
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25), ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + ch + uint32_t(constants().k[i] >> 32) + w[i];
        uint32_t s0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22),
                 maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        for (int j = 7; j > 0; j--) v[j] = v[j - 1];
        v[4] += t1;
        v[0] = t1 + s0 + maj;
    }
    for (int i = 0; i < 8; i++) h[i] = uint32_t(h[i] + v[i]);
}

void sha512(uint64_t *h, const uint8_t *block) {
    uint64_t w[80], v[8];
    for (int i = 0; i < 16; i++) w[i] = be64(block + 8 * i);
    for (int i = 16; i < 80; i++) {
        uint64_t s0 = rotr64(w[i - 15], 1) ^ rotr64(w[i - 15], 8) ^ w[i - 15] >> 7,
                 s1 = rotr64(w[i - 2], 19) ^ rotr64(w[i - 2], 61) ^ w[i - 2] >> 6;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    memcpy(v, h, 64);
    for (int i = 0; i < 80; i++) {
        uint64_t s1 = rotr64(v[4], 14) ^ rotr64(v[4], 18) ^ rotr64(v[4], 41), ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint64_t t1 = v[7] + s1 + ch + constants().k[i] + w[i];
        uint64_t s0 = rotr64(v[0], 28) ^ rotr64(v[0], 34) ^ rotr64(v[0], 39),
                 maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        for (int j = 7; j > 0; j--) v[j] = v[j - 1];
        v[4] += t1;
        v[0] = t1 + s0 + maj;
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
}

void md5(uint64_t *h, const uint8_t *block) {
    static const int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t a = uint32_t(h[0]), b = uint32_t(h[1]), c = uint32_t(h[2]), d = uint32_t(h[3]);
    for (int i = 0; i < 64; i++) {
        uint32_t f = i < 16 ? (b & c) | (~b & d) : i < 32 ? (d & b) | (~d & c) : i < 48 ? b ^ c ^ d : c ^ (b | ~d);
        int g = i < 16 ? i : i < 32 ? (5 * i + 1) % 16 : i < 48 ? (3 * i + 5) % 16 : 7 * i % 16;
        f += a + constants().t[i] + le32(block + 4 * g);
        a = d, d = c, c = b, b += rotl(f, shifts[i / 16][i % 4]);
    }
    h[0] = uint32_t(h[0] + a), h[1] = uint32_t(h[1] + b), h[2] = uint32_t(h[2] + c), h[3] = uint32_t(h[3] + d);
}

void aes_encrypt(const uint8_t (*keys)[16], int rounds, uint8_t *block) {
    static const uint8_t m[4] = {2, 3, 1, 1};
    rounds_of(keys, rounds, block, box().forward, 1, m);
}

void aes_decrypt(const uint8_t (*keys)[16], int rounds, uint8_t *block) {
    static const uint8_t m[4] = {14, 11, 13, 9};
    rounds_of(keys, rounds, block, box().inverse, -1, m);
}

}  // namespace mock
