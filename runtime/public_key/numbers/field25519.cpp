#include "field25519.hpp"

#include <cstring>

#include "inverse256.hpp"
#include "../../suite/secret.hpp"

namespace cst {
namespace {

typedef unsigned __int128 Wide;
constexpr uint64_t MASK = (uint64_t(1) << 51) - 1;
// Kept in registers from product to product, numbers do not wait for stores.
#define IN_REGISTERS __attribute__((always_inline)) inline

uint64_t load_word(const uint8_t *from) {
    uint64_t word;
    memcpy(&word, from, sizeof(word));
    return word;
}

// Carries sums of products below 2^110 to limbs below 2^51 + 2^13, in two rounds in which no carry waits for another.
IN_REGISTERS Number25519 carried(Wide sum0, Wide sum1, Wide sum2, Wide sum3, Wide sum4) {
    const auto above = [](Wide sum) { return uint64_t(sum >> 51); };
    const uint64_t limb0 = (uint64_t(sum0) & MASK) + 19 * above(sum4), limb1 = (uint64_t(sum1) & MASK) + above(sum0),
                   limb2 = (uint64_t(sum2) & MASK) + above(sum1), limb3 = (uint64_t(sum3) & MASK) + above(sum2),
                   limb4 = (uint64_t(sum4) & MASK) + above(sum3);
    return {{(limb0 & MASK) + 19 * (limb4 >> 51), (limb1 & MASK) + (limb0 >> 51), (limb2 & MASK) + (limb1 >> 51),
             (limb3 & MASK) + (limb2 >> 51), (limb4 & MASK) + (limb3 >> 51)}};
}

IN_REGISTERS Number25519 multiply(const Number25519 &a, const Number25519 &b) {
    const uint64_t *const x = a.limb, *const y = b.limb;
    const uint64_t y1 = 19 * y[1], y2 = 19 * y[2], y3 = 19 * y[3], y4 = 19 * y[4];
    return carried(Wide(x[0]) * y[0] + Wide(x[1]) * y4 + Wide(x[2]) * y3 + Wide(x[3]) * y2 + Wide(x[4]) * y1,
                   Wide(x[0]) * y[1] + Wide(x[1]) * y[0] + Wide(x[2]) * y4 + Wide(x[3]) * y3 + Wide(x[4]) * y2,
                   Wide(x[0]) * y[2] + Wide(x[1]) * y[1] + Wide(x[2]) * y[0] + Wide(x[3]) * y4 + Wide(x[4]) * y3,
                   Wide(x[0]) * y[3] + Wide(x[1]) * y[2] + Wide(x[2]) * y[1] + Wide(x[3]) * y[0] + Wide(x[4]) * y4,
                   Wide(x[0]) * y[4] + Wide(x[1]) * y[3] + Wide(x[2]) * y[2] + Wide(x[3]) * y[1] + Wide(x[4]) * y[0]);
}

}  // namespace

size_t limb_start(size_t limbs, size_t i) {
    return i == limbs ? 256 : limbs == 4 ? 64 * i : limbs == 5 ? 52 * i : (51 * i + 1) / 2;
}

Number25519 number_from_limbs(const uint8_t *rows, size_t limbs, size_t pitch) {
    uint64_t words[6] = {};  // of 320 bits, and one that stays zero
    for (size_t i = 0; i < limbs; i++) {
        const size_t start = limb_start(limbs, i);
        Wide add = Wide(load_word(rows + i * pitch)) << start % 64;
        for (size_t w = start / 64; w < 5; w++) {
            const Wide sum = Wide(words[w]) + uint64_t(add);
            words[w] = uint64_t(sum);
            add = (add >> 64) + (sum >> 64);
        }
    }
    Number25519 out;
    for (size_t i = 0; i < 5; i++) {
        const size_t at = 51 * i / 64, shift = 51 * i % 64;
        out.limb[i] = uint64_t((Wide(words[at + 1]) << 64 | words[at]) >> shift) & MASK;
    }
    out.limb[0] += 19 * (words[4] << 1 | words[3] >> 63);
    wipe(words, sizeof(words));
    return out;
}

namespace {

template <size_t LIMBS>
void put_limbs_of(const uint8_t *bytes, uint8_t *rows, size_t pitch) {
    const uint64_t words[5] = {load_word(bytes), load_word(bytes + 8), load_word(bytes + 16), load_word(bytes + 24), 0};
#pragma GCC unroll 10
    for (size_t i = 0; i < LIMBS; i++) {
        const size_t start = limb_start(LIMBS, i), bits = limb_start(LIMBS, i + 1) - start;
        uint64_t limb = uint64_t((Wide(words[start / 64 + 1]) << 64 | words[start / 64]) >> start % 64);
        if (bits < 64) limb &= (uint64_t(1) << bits) - 1;
        memcpy(rows + i * pitch, &limb, sizeof(limb));
    }
}

}  // namespace

void put_limbs(const uint8_t *bytes, uint8_t *rows, size_t limbs, size_t pitch) {
    if (limbs == 4) put_limbs_of<4>(bytes, rows, pitch);
    else if (limbs == 5) put_limbs_of<5>(bytes, rows, pitch);
    else put_limbs_of<10>(bytes, rows, pitch);
}

namespace {

constexpr Number256 P = {{0 - uint64_t(19), ~uint64_t(0), ~uint64_t(0), ~uint64_t(0) >> 1}};

// The number below p. What is kept in single variables stays in registers.
IN_REGISTERS Number256 canonical(const Number25519 &a) {
    const auto above = [](uint64_t limb) { return limb >> 51; };
    uint64_t l0 = a.limb[0], l1 = a.limb[1], l2 = a.limb[2], l3 = a.limb[3], l4 = a.limb[4];
    // Two rounds of carries leave limbs below 2^51, but for the first.
#pragma GCC unroll 2
    for (int round = 0; round < 2; round++) {
        l1 += above(l0), l2 += above(l1), l3 += above(l2), l4 += above(l3);
        l0 = (l0 & MASK) + 19 * above(l4);
        l1 &= MASK, l2 &= MASK, l3 &= MASK, l4 &= MASK;
    }
    // The number is below 2^255 + 19: p is to be subtracted if adding 19 carries out of 255 bits.
    l0 += 19 * above(l4 + above(l3 + above(l2 + above(l1 + above(l0 + 19)))));
    l1 += above(l0), l2 += above(l1), l3 += above(l2), l4 += above(l3);
    l0 &= MASK, l1 &= MASK, l2 &= MASK, l3 &= MASK, l4 &= MASK;
    return {{l0 | l1 << 51, l1 >> 13 | l2 << 38, l2 >> 26 | l3 << 25, l3 >> 39 | l4 << 12}};
}

IN_REGISTERS Number25519 number_of(const Number256 &a) {
    const uint64_t *const w = a.word;
    return {{w[0] & MASK, (w[0] >> 51 | w[1] << 13) & MASK, (w[1] >> 38 | w[2] << 26) & MASK,
             (w[2] >> 25 | w[3] << 39) & MASK, w[3] >> 12 & MASK}};
}

}  // namespace

void put_number(const Number25519 &a, uint8_t *bytes) {
    const Number256 words = canonical(a);
    memcpy(bytes, words.word, sizeof(words.word));
}

uint64_t is_odd(const Number25519 &a) { return canonical(a).word[0] & 1; }

uint64_t is_zero(const Number25519 &a) { return is_zero(canonical(a)); }

Number25519 number_from_bytes(const uint8_t *bytes) {
    Number256 words;
    memcpy(words.word, bytes, sizeof(words.word));
    return number_of(words);
}

Number25519 product(const Number25519 &a, const Number25519 &b) { return multiply(a, b); }

Number25519 sum(const Number25519 &a, const Number25519 &b) {
    const uint64_t *const x = a.limb, *const y = b.limb;
    return carried(x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3], x[4] + y[4]);
}

// a + 4 p - b, whose limbs are above those of b.
Number25519 difference(const Number25519 &a, const Number25519 &b) {
    const uint64_t *const x = a.limb, *const y = b.limb;
    constexpr uint64_t FIRST = 4 * (MASK - 18), OTHER = 4 * MASK;
    return carried(x[0] + FIRST - y[0], x[1] + OTHER - y[1], x[2] + OTHER - y[2], x[3] + OTHER - y[3],
                   x[4] + OTHER - y[4]);
}

void invert(Number25519 *z, Number25519 *products, size_t n) {
    Number25519 all = {{1, 0, 0, 0, 0}};
    for (size_t i = 0; i < n; i++) {
        const uint64_t zero = is_zero(z[i]);
        for (uint64_t &limb : z[i].limb) limb &= ~zero;
        products[i] = all;
        Number25519 factor = z[i];
        factor.limb[0] |= zero & 1;
        all = multiply(all, factor);
    }
    all = number_of(inverse256(canonical(all), P));
    for (size_t i = n; i--;) {
        const uint64_t zero = is_zero(z[i]);
        Number25519 factor = z[i];
        factor.limb[0] |= zero & 1;
        z[i] = multiply(all, products[i]);
        for (uint64_t &limb : z[i].limb) limb &= ~zero;
        all = multiply(all, factor);
    }
}

}  // namespace cst
