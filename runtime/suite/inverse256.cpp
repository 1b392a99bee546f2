// D. Bernstein, B.-Y. Yang, Fast constant-time gcd computation and modular inversion, 2019: a division step makes of an
// odd f, of g and of delta
//     g, (g - f) / 2, 1 - delta               if delta > 0 and g is odd,
//     f, (g + (g mod 2) f) / 2, 1 + delta     else.
// From f = m and g = a on, both below 2^256, it leaves g = 0 and f = 1 or -1 after 741 steps (theorem 11.2). 62 steps
// at a time are computed from the lowest words alone; they are a matrix, which is applied to f and g, and modulo m to d
// and e, where d a = f and e a = g.
#include "inverse256.hpp"

#include "secret.hpp"

namespace cst {
namespace {

typedef __int128 Wide;
constexpr unsigned BITS = 62;
constexpr int LIMBS = 5, BATCHES = 12;  // 744 steps
constexpr uint64_t MASK = (uint64_t(1) << BITS) - 1;

// The lower limbs have 62 bits, the last one the sign.
struct Signed {
    int64_t limb[LIMBS];
};

Signed limbs_of(const Number256 &a) {
    const uint64_t *const w = a.word;
    return {{int64_t(w[0] & MASK), int64_t((w[0] >> 62 | w[1] << 2) & MASK), int64_t((w[1] >> 60 | w[2] << 4) & MASK),
             int64_t((w[2] >> 58 | w[3] << 6) & MASK), int64_t(w[3] >> 56)}};
}

// 2^62 times what new f and g take of f, and of g.
struct Steps {
    int64_t u, v, q, r;
};

Steps steps_of(uint64_t f, uint64_t g, int64_t *delta) {
    uint64_t u = 1, v = 0, q = 0, r = 1;
    int64_t its = *delta;
    const auto exchange = [](uint64_t mask, uint64_t &a, uint64_t &b) {  // a = b, b = -a
        const uint64_t both = (a ^ b) & mask;
        a ^= both;
        b = (b ^ both ^ mask) - mask;
    };
    for (unsigned i = 0; i < BITS; i++) {
        const uint64_t odd = 0 - (g & 1), exchanged = odd & (0 - (uint64_t(-its) >> 63));
        exchange(exchanged, f, g);
        exchange(exchanged, u, q);
        exchange(exchanged, v, r);
        its = int64_t((uint64_t(its) ^ exchanged) - exchanged) + 1;
        g = (g + (f & odd)) >> 1;
        q += u & odd;
        r += v & odd;
        u <<= 1;
        v <<= 1;
    }
    *delta = its;
    return {int64_t(u), int64_t(v), int64_t(q), int64_t(r)};
}

// (x a + y b + z m) / 2^62, which is whole.
Signed combined(int64_t x, const Signed &a, int64_t y, const Signed &b, int64_t z, const Signed &m) {
    Signed out;
    Wide all = 0;
    for (int i = 0; i < LIMBS; i++) {
        all += Wide(x) * a.limb[i] + Wide(y) * b.limb[i] + Wide(z) * m.limb[i];
        if (i) out.limb[i - 1] = int64_t(uint64_t(all) & MASK);
        all >>= BITS;
    }
    out.limb[LIMBS - 1] = int64_t(all);
    return out;
}

// a + factor b
Signed sum(const Signed &a, int64_t factor, const Signed &b) {
    Signed out;
    Wide all = 0;
    for (int i = 0; i < LIMBS; i++) {
        all += a.limb[i] + Wide(factor) * b.limb[i];
        out.limb[i] = i < LIMBS - 1 ? int64_t(uint64_t(all) & MASK) : int64_t(all);
        all >>= BITS;
    }
    return out;
}

// The sign of f, of 1 or -1, times d, modulo m; d lies between -13 m and 13 m, since a batch adds less than m.
Number256 result(const Signed &f, const Signed &d, const Signed &m) {
    static const Signed zero = {};
    const int64_t sign = f.limb[LIMBS - 1] >> 63 | 1;
    Signed out = sum(sum(zero, sign, d), BATCHES + 1, m);
    for (int64_t multiple = 16; multiple; multiple /= 2) {
        const Signed less = sum(out, -multiple, m);
        const int64_t below = less.limb[LIMBS - 1] >> 63;
        for (int i = 0; i < LIMBS; i++) out.limb[i] = (out.limb[i] & below) | (less.limb[i] & ~below);
    }
    uint64_t l[LIMBS];
    for (int i = 0; i < LIMBS; i++) l[i] = uint64_t(out.limb[i]);
    return {{l[0] | l[1] << 62, l[1] >> 2 | l[2] << 60, l[2] >> 4 | l[3] << 58, l[3] >> 6 | l[4] << 56}};
}

}  // namespace

Number256 inverse256(const Number256 &a, const Number256 &m) {
    struct {
        Signed f, g, d, e;
    } its = {limbs_of(m), limbs_of(a), {}, {{1, 0, 0, 0, 0}}};
    const Signed modulus = its.f;
    uint64_t factor = 1;  // -1 / m modulo 2^62: Newton's iteration doubles the bits of 1 / m, from one on
    for (unsigned bits = 1; bits < BITS; bits *= 2) factor *= 2 - m.word[0] * factor;
    factor = 0 - factor;
    int64_t delta = 1;
    for (int i = 0; i < BATCHES; i++) {
        const auto f0 = uint64_t(its.f.limb[0]), g0 = uint64_t(its.g.limb[0]), d0 = uint64_t(its.d.limb[0]),
                   e0 = uint64_t(its.e.limb[0]);
        const Steps by = steps_of(f0, g0, &delta);
        const auto times_m = [&](int64_t x, int64_t y) {
            return int64_t((uint64_t(x) * d0 + uint64_t(y) * e0) * factor & MASK);
        };
        its = {combined(by.u, its.f, by.v, its.g, 0, modulus), combined(by.q, its.f, by.r, its.g, 0, modulus),
               combined(by.u, its.d, by.v, its.e, times_m(by.u, by.v), modulus),
               combined(by.q, its.d, by.r, its.e, times_m(by.q, by.r), modulus)};
    }
    const Number256 out = result(its.f, its.d, modulus);
    wipe(&its, sizeof(its));
    return out;
}

}  // namespace cst
