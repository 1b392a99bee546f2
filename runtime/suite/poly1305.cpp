#include "poly1305.hpp"

#include <cstring>

#include "secret.hpp"

namespace cst {
namespace {

__extension__ typedef unsigned __int128 Wide;

// A number modulo p = 2^130 - 5 in limbs of 44, 44 and 42 bits; the last may have one more.
struct Limbs {
    uint64_t x[3];
};
constexpr uint64_t LOW_44 = (uint64_t(1) << 44) - 1, LOW_42 = (uint64_t(1) << 42) - 1;

// What leaves limb 2 is worth five times as much in limb 0; 20 = 5 * 2^2, because limb 3 would begin at bit 132.
Limbs product(const Limbs &a, const Limbs &b) {
    const uint64_t again1 = 20 * b.x[1], again2 = 20 * b.x[2];
    const Wide d0 = Wide(a.x[0]) * b.x[0] + Wide(a.x[1]) * again2 + Wide(a.x[2]) * again1;
    Wide d1 = Wide(a.x[0]) * b.x[1] + Wide(a.x[1]) * b.x[0] + Wide(a.x[2]) * again2;
    Wide d2 = Wide(a.x[0]) * b.x[2] + Wide(a.x[1]) * b.x[1] + Wide(a.x[2]) * b.x[0];
    d1 += uint64_t(d0 >> 44);
    d2 += uint64_t(d1 >> 44);
    const uint64_t x0 = (uint64_t(d0) & LOW_44) + 5 * uint64_t(d2 >> 42);
    const uint64_t x1 = (uint64_t(d1) & LOW_44) + (x0 >> 44);
    return {{x0 & LOW_44, x1 & LOW_44, (uint64_t(d2) & LOW_42) + (x1 >> 44)}};
}

// `bits` bits from bit `at` on; the last limb takes all that is left.
uint64_t limb(const Limbs &a, uint32_t at, uint32_t bits) {
    const uint32_t i = at / 44, shift = at % 44;
    uint64_t x = a.x[i] >> shift;
    if (i < 2 && shift + bits > 44) x |= a.x[i + 1] << (44 - shift);
    return at + bits >= 130 ? x : x & ((uint64_t(1) << bits) - 1);
}

// streams/poly1305.j2: the limbs of the powers of every lane, then again but for the first, times what they are worth beyond the last limb.
template <uint32_t lanes, uint32_t bits, uint32_t limbs>
void write_lanes(const Limbs *powers, uint8_t *to) {
    constexpr uint64_t again = uint64_t(5) << (bits * limbs - 130);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const Limbs &power = powers[lanes - (lane / 2 + lane % 2 * (lanes / 2))];
        for (uint32_t i = 0; i < limbs; i++) {
            const uint64_t x = limb(power, bits * i, bits), y = x * again;
            memcpy(to + 8 * (i * lanes + lane), &x, 8);
            if (i) memcpy(to + 8 * ((limbs + i - 1) * lanes + lane), &y, 8);
        }
    }
}

}  // namespace

void poly1305_key(const uint8_t *bytes, PolyKey *out) {
    memcpy(out->r, bytes, 16);
    memcpy(out->s, bytes + 16, 16);
    out->r[0] &= 0x0ffffffc0fffffff;
    out->r[1] &= 0x0ffffffc0ffffffc;
}

void poly1305_blocks(const PolyKey &key, uint64_t *accumulator, const uint8_t *in, uint64_t blocks) {
    const uint64_t r0 = key.r[0], r1 = key.r[1], again = r1 + (r1 >> 2);  // 2^128 r1 = 5/4 r1: two bits of r1 are clear
    uint64_t h0 = accumulator[0], h1 = accumulator[1], h2 = accumulator[2], low, high;
    for (; blocks; blocks--, in += 16) {
        memcpy(&low, in, 8);
        memcpy(&high, in + 8, 8);
        Wide sum = Wide(h0) + low;
        h0 = uint64_t(sum);
        sum = Wide(h1) + high + uint64_t(sum >> 64);
        h1 = uint64_t(sum);
        h2 += uint64_t(sum >> 64) + 1;
        const Wide d0 = Wide(h0) * r0 + Wide(h1) * again;
        const Wide d1 = Wide(h0) * r1 + Wide(h1) * r0 + h2 * again + uint64_t(d0 >> 64);
        const uint64_t d2 = h2 * r0 + uint64_t(d1 >> 64);
        sum = Wide(uint64_t(d0)) + (d2 >> 2) + (d2 & ~uint64_t(3));
        h0 = uint64_t(sum);
        sum = Wide(uint64_t(d1)) + uint64_t(sum >> 64);
        h1 = uint64_t(sum);
        h2 = (d2 & 3) + uint64_t(sum >> 64);
    }
    accumulator[0] = h0;
    accumulator[1] = h1;
    accumulator[2] = h2;
}

void poly1305_tag(const PolyKey &key, const uint64_t *accumulator, uint8_t *tag) {
    // Below 2p from here on: what exceeds 130 bits counts five times.
    const uint64_t over = accumulator[2] >> 2;
    Wide sum = Wide(accumulator[0]) + 5 * over;
    const uint64_t h0 = uint64_t(sum);
    sum = Wide(accumulator[1]) + uint64_t(sum >> 64);
    const uint64_t h1 = uint64_t(sum), h2 = (accumulator[2] & 3) + uint64_t(sum >> 64);
    // h + 5 has bit 130 exactly where h is at least p.
    sum = Wide(h0) + 5;
    const uint64_t g0 = uint64_t(sum);
    sum = Wide(h1) + uint64_t(sum >> 64);
    const uint64_t g1 = uint64_t(sum), take = 0 - ((h2 + uint64_t(sum >> 64)) >> 2 & 1);
    uint64_t s0, s1;
    memcpy(&s0, key.s, 8);
    memcpy(&s1, key.s + 8, 8);
    sum = Wide(h0 ^ ((h0 ^ g0) & take)) + s0;
    const uint64_t low = uint64_t(sum), high = (h1 ^ ((h1 ^ g1) & take)) + s1 + uint64_t(sum >> 64);
    memcpy(tag, &low, 8);
    memcpy(tag + 8, &high, 8);
}

bool poly1305_powers(const PolyKey &key, uint32_t rows, uint8_t *to) {
    if (rows == 2) {
        const uint64_t words[4] = {key.r[0], key.r[1], key.r[1] + (key.r[1] >> 2), 0};
        memcpy(to, words, sizeof(words));
        return true;
    }
    if (rows != 18 && rows != 20) return false;
    Limbs power[9];
    power[1] = {{key.r[0] & LOW_44, (key.r[0] >> 44 | key.r[1] << 20) & LOW_44, key.r[1] >> 24}};
    for (uint32_t i = 2; i <= (rows == 18 ? 4 : 8); i++) power[i] = product(power[i / 2], power[i - i / 2]);
    if (rows == 18) write_lanes<4, 26, 5>(power, to);
    else write_lanes<8, 44, 3>(power, to);
    wipe(power, sizeof(power));
    return true;
}

}  // namespace cst
