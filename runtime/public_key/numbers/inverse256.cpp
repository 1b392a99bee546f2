// D. Bernstein, B.-Y. Yang, Fast constant-time gcd computation and modular inversion, 2019: a division step makes of an
// odd f, of g and of delta
//     g, (g - f) / 2, 1 - delta               if delta > 0 and g is odd,
//     f, (g + (g mod 2) f) / 2, 1 + delta     else.
// From f = m, g = a and delta = 1/2 on, m and a below 2^256, it leaves g = 0 and f = 1 or -1 after 590 steps (R.
// O'Connor, A. Poelstra, A formal proof of safegcd bounds, 2021; with delta = 1 it takes 741). 60 steps at a time are
// computed from the lowest words alone; they are a matrix, which is applied to f and g, and modulo m to d and e, where
// d a = f and e a = g.
#include "inverse256.hpp"

#include "../../suite/secret.hpp"

namespace cst {
namespace {

typedef __int128 Wide;
constexpr unsigned PART = 20, BITS = 3 * PART;  // steps
constexpr int LIMBS = 5, BATCHES = 10;  // 600 steps
constexpr uint64_t MASK = (uint64_t(1) << BITS) - 1;

// The lower limbs have 60 bits, the last one the sign.
struct Signed {
    int64_t limb[LIMBS];
};

Signed limbs_of(const Number256 &a) {
    const uint64_t *const w = a.word;
    return {{int64_t(w[0] & MASK), int64_t((w[0] >> 60 | w[1] << 4) & MASK), int64_t((w[1] >> 56 | w[2] << 8) & MASK),
             int64_t((w[2] >> 52 | w[3] << 12) & MASK), int64_t(w[3] >> 48)}};
}

// The matrix of some division steps: u f + v g is the new f times a power of 2, and q f + r g the new g times it.
struct Steps {
    int64_t u, v, q, r;
};

// 20 steps, of which only the lowest 20 bits of f and g decide. A word holds such bits, and what it takes of f and of g
// (T. Pornin, Optimized Binary GCD for Modular Inversion, 2020, 3.2, packs two of the three): f - 2^41 and g - 2^62 at
// first, where f and g are below 2^20; steps halve whole words; at last it is a + 2^21 u + 2^42 v, where |a| < 2^20 and
// -2^20 <= u, v < 2^20. 1 would grow to 2^20, which a field of 21 bits does not have; with -1 both rows, and the f and
// g that they make, are the negatives of those that are meant, which changes no step.
// below: -1/2 - delta, which is negative where delta is above 0
inline Steps part_of(uint64_t f, uint64_t g, int64_t *below) {
    constexpr unsigned FIELD = PART + 1;
    constexpr uint64_t LOWEST = (uint64_t(1) << PART) - 1;
    int64_t its = *below, other = int64_t(g & LOWEST) - (int64_t(1) << (2 * FIELD + PART));
    int64_t half = (int64_t(f & LOWEST) - (int64_t(1) << (FIELD + PART))) >> 1;  // f = 2 half + 1
    for (unsigned i = 0; i < PART; i++) {
        const int64_t bit = other & 1, odd = -bit, minus = its >> 63, exchanged = odd & minus;
        const int64_t other_half = other >> 1;
        other = other_half + bit + ((half ^ minus) & odd);  // (1 - f) / 2 = -half, (1 + f) / 2 = half + 1
        half ^= (half ^ other_half) & exchanged;
        its = (its ^ exchanged) - 1;  // -1/2 - (1 - delta) = -2 - its
    }
    *below = its;
    const auto first = [](int64_t packed) {
        return int64_t(uint64_t(packed + (1 << PART)) << (64 - 2 * FIELD)) >> (64 - FIELD);
    };
    const auto second = [](int64_t packed) {
        return (packed + (1 << PART) + (int64_t(1) << (FIELD + PART))) >> 2 * FIELD;
    };
    const int64_t whole = int64_t(uint64_t(half) << 1 | 1);
    return {first(whole), second(whole), first(other), second(other)};
}

// 60 steps; the matrix is 2^60 times theirs.
Steps steps_of(uint64_t f, uint64_t g, int64_t *below) {
    Steps all = part_of(f, g, below);
    for (unsigned i = PART; i < BITS; i += PART) {
        const auto next = [&](int64_t x, int64_t y) { return uint64_t(x) * f + uint64_t(y) * g; };
        const Steps by = part_of(next(all.u, all.v) >> i, next(all.q, all.r) >> i, below);
        all = {by.u * all.u + by.v * all.q, by.u * all.v + by.v * all.r,  //
               by.q * all.u + by.r * all.q, by.q * all.v + by.r * all.r};
    }
    return all;
}

// Sets out = (x a + y b + z m) / 2^60, which is whole.
void combine(int64_t x, const Signed &a, int64_t y, const Signed &b, int64_t z, const Signed &m, Signed *out) {
    Wide all = 0;
#pragma GCC unroll 5
    for (int i = 0; i < LIMBS; i++) {
        all += Wide(x) * a.limb[i] + Wide(y) * b.limb[i] + Wide(z) * m.limb[i];
        if (i) out->limb[i - 1] = int64_t(uint64_t(all) & MASK);
        all >>= BITS;
    }
    out->limb[LIMBS - 1] = int64_t(all);
}

// Sets out = x a + y b.
void add(int64_t x, const Signed &a, int64_t y, const Signed &b, Signed *out) {
    Wide all = 0;
    for (int i = 0; i < LIMBS; i++) {
        all += Wide(x) * a.limb[i] + Wide(y) * b.limb[i];
        out->limb[i] = i < LIMBS - 1 ? int64_t(uint64_t(all) & MASK) : int64_t(all);
        all >>= BITS;
    }
}

// All that depends on the number.
struct Work {
    ~Work() { wipe(this, sizeof(*this)); }
    struct {
        Signed f, g, d, e;
    } of[2];  // before steps and after them, in turn
    Steps by;
    int64_t below;
    Signed sum, less;
};

// Returns the sign of f, of 1 or -1, times d, modulo m; d lies between -11 m and 11 m, since a batch adds less than m.
Number256 result(Work *its, const Signed &m) {
    Signed &sum = its->sum, &less = its->less;
    add(its->of[0].f.limb[LIMBS - 1] >> 63 | 1, its->of[0].d, BATCHES + 1, m, &sum);
    for (int64_t multiple = 16; multiple; multiple /= 2) {
        add(1, sum, -multiple, m, &less);
        const int64_t below = less.limb[LIMBS - 1] >> 63;
        for (int i = 0; i < LIMBS; i++) sum.limb[i] = (sum.limb[i] & below) | (less.limb[i] & ~below);
    }
    const auto limb = [&](int i) { return uint64_t(sum.limb[i]); };
    return {{limb(0) | limb(1) << 60, limb(1) >> 4 | limb(2) << 56, limb(2) >> 8 | limb(3) << 52,
             limb(3) >> 12 | limb(4) << 48}};
}

}  // namespace

Number256 inverse256(const Number256 &a, const Number256 &m) {
    const Signed modulus = limbs_of(m);
    uint64_t factor = 1;  // -1 / m modulo 2^60: Newton's iteration doubles the bits of 1 / m, from one on
    for (unsigned bits = 1; bits < BITS; bits *= 2) factor *= 2 - m.word[0] * factor;
    factor = 0 - factor;
    Work its = {{{modulus, limbs_of(a), {}, {{1, 0, 0, 0, 0}}}, {}}, {}, -1, {}, {}};
    static_assert(BATCHES % 2 == 0, "the last numbers are of[0]");
    for (int i = 0; i < BATCHES; i++) {
        const auto &from = its.of[i % 2];
        auto &to = its.of[1 - i % 2];
        const Steps &by = its.by = steps_of(uint64_t(from.f.limb[0]), uint64_t(from.g.limb[0]), &its.below);
        const auto times_m = [&](int64_t x, int64_t y) {
            const uint64_t lowest = uint64_t(x) * uint64_t(from.d.limb[0]) + uint64_t(y) * uint64_t(from.e.limb[0]);
            return int64_t(lowest * factor & MASK);
        };
        combine(by.u, from.f, by.v, from.g, 0, modulus, &to.f);
        combine(by.q, from.f, by.r, from.g, 0, modulus, &to.g);
        combine(by.u, from.d, by.v, from.e, times_m(by.u, by.v), modulus, &to.d);
        combine(by.q, from.d, by.r, from.e, times_m(by.q, by.r), modulus, &to.e);
    }
    return result(&its, modulus);
}

}  // namespace cst
