// Multiples of points of P-256 in lanes (templates/streams/p256.j2), or without kernels where this CPU has none.
#pragma once

#include <memory>
#include <vector>

#include "lane_dealer.hpp"
#include "p256_single.hpp"

namespace cst {

// Several threads may share an object. Constant-time in multipliers and points, but for the multipliers 2 or 34
// (several lanes, a single one) and the order less that, whose last addition is of equal points. Functions throw
// std::bad_alloc.
class P256Multiplication {
public:
    // Says which function the caller calls most: `multiply` or `multiply_base`. sums: it calls `multiply_both` alone.
    enum class Use { multiples, base, sums };
    // kernel: as for fetch_number_kernels. Without one, CPUs that have no kernel compute in general registers.
    int init(const Engine &engine, const char *kernel, Use use);

    // out[i] = multipliers[i], from 1 on to below the order, times points[i].
    void multiply(const Number256 *multipliers, const P256Point *points, size_t n, P256Jacobian *out) const;
    // out[i] = multipliers[i] times the base point.
    void multiply_base(const Number256 *multipliers, size_t n, P256Jacobian *out) const;
    // out[i] = base[i] times the base point, plus multipliers[i] times points[i]. base[i] may be 0. Not constant-time.
    void multiply_both(const Number256 *base, const Number256 *multipliers, const P256Point *points, size_t n,
                       P256Jacobian *out) const;

private:
    class Lanes;

    std::vector<P256Point> base_multiples(size_t positions, size_t entries, unsigned bits) const;
    void make_combs();

    bool in_lanes_ = false;
    LaneDealer dealer_;
    // For several lanes: for each digit, eight multiples of the base point: x and y, in limbs of 52 bits.
    std::vector<uint64_t> combs_;
    P256Point base_start_;  // 2^256 times the base point
    std::unique_ptr<P256SingleLane> single_;
};

}  // namespace cst
