// Multiples of points of P-256 in lanes (templates/streams/p256.j2), or without kernels where this CPU has none.
#pragma once

#include <vector>

#include "numbers/p256.hpp"
#include "lane_dealer.hpp"

namespace cst {

// Several threads may share an object. Constant-time in multipliers and points, but where a multiplier is one of the
// dozen below the order for which an addition of equal points is the last one. Functions throw std::bad_alloc.
class P256Multiplication {
public:
    // kernel: as for fetch_number_kernels. Without one, CPUs that have no kernel compute in general registers.
    int init(const Engine &engine, const char *kernel);

    // out[i] = multipliers[i], from 1 on to below the order, times points[i].
    void multiply(const Number256 *multipliers, const P256Point *points, size_t n, P256Jacobian *out) const;
    // out[i] = multipliers[i] times the base point.
    void multiply_base(const Number256 *multipliers, size_t n, P256Jacobian *out) const;
    // out[i] = base[i] times the base point, plus multipliers[i] times points[i]. base[i] may be 0. Not constant-time.
    void multiply_both(const Number256 *base, const Number256 *multipliers, const P256Point *points, size_t n,
                       P256Jacobian *out) const;

private:
    class Lanes;

    void make_combs();
    // Returns the limbs of a digit's multiples, so many for a number.
    const uint64_t *comb(size_t limbs, size_t position) const;

    bool in_lanes_ = false;
    LaneDealer dealer_;
    // For each digit, eight multiples of the base point: x and y, in words and in limbs of 52 bits.
    std::vector<uint64_t> word_combs_, limb_combs_;
    P256Point base_start_;  // 2^256 times the base point
};

}  // namespace cst
