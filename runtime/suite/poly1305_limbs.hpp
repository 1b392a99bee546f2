// Numbers modulo p = 2^130 - 5 in general registers, in the limbs that powers of Poly1305's key are kept in.
#pragma once

#include "poly1305.hpp"

namespace cst {

__extension__ typedef unsigned __int128 Word128;

// A number modulo p = 2^130 - 5 in limbs of 44, 44 and 42 bits; the last may have one more.
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

}  // namespace cst
