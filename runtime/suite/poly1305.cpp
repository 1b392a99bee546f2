#include "poly1305.hpp"

#include <cstring>

#include "registers.hpp"
#include "secret.hpp"

namespace cst {
namespace {

__extension__ typedef unsigned __int128 Word128;

// A number modulo p = 2^130 - 5 in limbs of 44, 44 and 42 bits; the last may have one bit more.
struct Limbs {
    uint64_t x[3];
};
constexpr uint64_t LOW_44 = (uint64_t(1) << 44) - 1, LOW_42 = (uint64_t(1) << 42) - 1;

// What leaves limb 2 is worth five times as much in limb 0; 20 = 5 * 2^2, because limb 3 would begin at bit 132.
inline __attribute__((always_inline)) Limbs product(const Limbs &a, const Limbs &b) {
    const uint64_t again1 = 20 * b.x[1], again2 = 20 * b.x[2];
    const Word128 d0 = Word128(a.x[0]) * b.x[0] + Word128(a.x[1]) * again2 + Word128(a.x[2]) * again1;
    Word128 d1 = Word128(a.x[0]) * b.x[1] + Word128(a.x[1]) * b.x[0] + Word128(a.x[2]) * again2;
    Word128 d2 = Word128(a.x[0]) * b.x[2] + Word128(a.x[1]) * b.x[1] + Word128(a.x[2]) * b.x[0];
    d1 += uint64_t(d0 >> 44);
    d2 += uint64_t(d1 >> 44);
    const uint64_t x0 = (uint64_t(d0) & LOW_44) + 5 * uint64_t(d2 >> 42);
    const uint64_t x1 = (uint64_t(d1) & LOW_44) + (x0 >> 44);
    return {{x0 & LOW_44, x1 & LOW_44, (uint64_t(d2) & LOW_42) + (x1 >> 44)}};
}

inline Limbs limbs_of(const PolyKey &key) {
    return {{key.r[0] & LOW_44, (key.r[0] >> 44 | key.r[1] << 20) & LOW_44, key.r[1] >> 24}};
}

// Writes one limb into the key rows that streams/poly1305.j2 reads: a vector for each limb of the powers that the lanes
// end with, then again for all but the first limb, times what they are worth beyond the last limb.
template <uint32_t lanes>
void write_limb(uint8_t *to, uint32_t row, uint32_t lane, uint64_t x) {
    memcpy(to + 8 * (row * lanes + lane), &x, sizeof(x));
}

void write_44(const Limbs &power, uint32_t lane, uint8_t *to) {
    for (uint32_t i = 0; i < 3; i++) write_limb<8>(to, i, lane, power.x[i]);
    for (uint32_t i = 1; i < 3; i++) write_limb<8>(to, i + 2, lane, 20 * power.x[i]);
}

void write_26(const Limbs &power, uint32_t lane, uint8_t *to) {
    constexpr uint64_t LOW_26 = (uint64_t(1) << 26) - 1;
    const uint64_t a = power.x[0], b = power.x[1], c = power.x[2];
    const uint64_t x[5] = {a & LOW_26, (a >> 26 | b << 18) & LOW_26, b >> 8 & LOW_26, (b >> 34 | c << 10) & LOW_26,
                           c >> 16};
    for (uint32_t i = 0; i < 5; i++) write_limb<4>(to, i, lane, x[i]);
    for (uint32_t i = 1; i < 5; i++) write_limb<4>(to, i + 4, lane, 5 * x[i]);
}

// Key rows of streams/poly1305_word.j2: the limbs of each power and of 2^64 times it, then of 2^128 times the first
// power, and times the sum of the others.
constexpr uint32_t WORD_BLOCKS = 8;  // blocks of an iteration, and powers

// Stores limbs one by one: stored together they would go through memory, and wait there.
inline __attribute__((always_inline)) void write_factor(const Limbs &factor, uint32_t number, uint8_t *to) {
    for (uint32_t i = 0; i < 3; i++) memcpy(to + 24 * number + 8 * i, &factor.x[i], 8);
}

// Multiplies by 2^64: shifts by a limb and 20 bits; what is above bit 130 counts five times, 130 bits lower. The limbs
// may be those of a sum of a few numbers.
inline __attribute__((always_inline)) Limbs times_word(const Limbs &a) {
    constexpr uint64_t LOW_22 = (uint64_t(1) << 22) - 1, LOW_24 = (uint64_t(1) << 24) - 1;
    const uint64_t x0 = 5 * (((a.x[2] & LOW_22) << 22) + (a.x[1] >> 22));
    const uint64_t x1 = ((a.x[0] & LOW_24) << 20) + 5 * (a.x[2] >> 22) + (x0 >> 44);
    return {{x0 & LOW_44, x1 & LOW_44, ((a.x[1] & LOW_22) << 20) + (a.x[0] >> 24) + (x1 >> 44)}};
}

inline __attribute__((always_inline)) void write_words(const Limbs &power, uint32_t number, uint8_t *to) {
    write_factor(power, 2 * number, to);
    write_factor(times_word(power), 2 * number + 1, to);
}

// Adds. The limbs of a sum of a few numbers need not fit their bits: the product brings them back.
void add(Limbs *sum, const Limbs &a) {
    for (uint32_t i = 0; i < 3; i++) sum->x[i] += a.x[i];
}

// Orders the products so that few of them wait for many others.
void word_powers(const PolyKey &key, uint8_t *to) {
    const Limbs p1 = limbs_of(key), p2 = product(p1, p1), p3 = product(p2, p1), p4 = product(p2, p2);
    Limbs sum = p1;
    write_words(p1, 7, to);
    auto others = [&](const Limbs &power, uint32_t number) __attribute__((always_inline)) {
        write_words(power, number, to);
        add(&sum, power);
    };
    others(p2, 6);
    others(p3, 5);
    others(p4, 4);
    others(product(p4, p1), 3);
    others(product(p4, p2), 2);
    others(product(p4, p3), 1);
    const Limbs p8 = product(p4, p4);
    write_words(p8, 0, to);
    write_factor(times_word(times_word(p8)), 2 * WORD_BLOCKS, to);
    write_factor(times_word(times_word(sum)), 2 * WORD_BLOCKS + 1, to);
}

}  // namespace

void poly1305_key(const uint8_t *bytes, PolyKey *out) {
    memcpy(out->r, bytes, 16);
    memcpy(out->s, bytes + 16, 16);
    out->r[0] &= 0x0ffffffc0fffffff;
    out->r[1] &= 0x0ffffffc0ffffffc;
}

void poly1305_tag(const PolyKey &key, const uint64_t *accumulator, uint8_t *tag) {
    // The sum is below 2p from here on: what exceeds 130 bits counts five times.
    const uint64_t over = accumulator[2] >> 2;
    Word128 sum = Word128(accumulator[0]) + 5 * over;
    const uint64_t h0 = uint64_t(sum);
    sum = Word128(accumulator[1]) + uint64_t(sum >> 64);
    const uint64_t h1 = uint64_t(sum), h2 = (accumulator[2] & 3) + uint64_t(sum >> 64);
    // h + 5 has bit 130 exactly if h is at least p.
    sum = Word128(h0) + 5;
    const uint64_t g0 = uint64_t(sum);
    sum = Word128(h1) + uint64_t(sum >> 64);
    const uint64_t g1 = uint64_t(sum), take = 0 - ((h2 + uint64_t(sum >> 64)) >> 2 & 1);
    uint64_t s0, s1;
    memcpy(&s0, key.s, 8);
    memcpy(&s1, key.s + 8, 8);
    sum = Word128(h0 ^ ((h0 ^ g0) & take)) + s0;
    const uint64_t low = uint64_t(sum), high = (h1 ^ ((h1 ^ g1) & take)) + s1 + uint64_t(sum >> 64);
    memcpy(tag, &low, 8);
    memcpy(tag + 8, &high, 8);
}

uint32_t poly1305_rows(KeyForm form) {
    switch (form) {
        case KEY_R: return 1;
        case KEY_LIMBS_26: return 18;
        case KEY_LIMBS_44: return 20;
        case KEY_WORDS: return POLY_MOST_ROWS;
        default: return 0;
    }
}

namespace {

__attribute__((noinline)) void write_powers(const PolyKey &key, KeyForm form, uint8_t *to) {
    if (form == KEY_WORDS) {
        word_powers(key, to);
        return;
    }
    // Separate variables, because an array would go through memory.
    const Limbs p1 = limbs_of(key);
    const Limbs p2 = product(p1, p1), p3 = product(p2, p1), p4 = product(p2, p2);
    if (form == KEY_LIMBS_26) {
        write_26(p4, 0, to);
        write_26(p2, 1, to);
        write_26(p3, 2, to);
        write_26(p1, 3, to);
        return;
    }
    const Limbs p5 = product(p4, p1), p6 = product(p4, p2), p7 = product(p4, p3), p8 = product(p4, p4);
    write_44(p8, 0, to);
    write_44(p4, 1, to);
    write_44(p7, 2, to);
    write_44(p3, 3, to);
    write_44(p6, 4, to);
    write_44(p2, 5, to);
    write_44(p5, 6, to);
    write_44(p1, 7, to);
}

constexpr size_t FRAME = 1024;  // write_powers has less than half of it

}  // namespace

void poly1305_powers(const PolyKey &key, KeyForm form, uint8_t *to) {
    if (form == KEY_R) {
        memcpy(to, key.r, sizeof(key.r));
        return;
    }
    write_powers(key, form, to);
    clear_below<FRAME>();  // where the compiler puts powers for which there are no registers
}

}  // namespace cst
