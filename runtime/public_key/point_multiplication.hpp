// Multiples of points of edwards25519 by kernels: which of them, and for how many jobs at a time.
#pragma once

#include <memory>
#include <vector>

#include "lane_dealer.hpp"
#include "point_lanes.hpp"

namespace cst {

constexpr unsigned DIGIT_BITS = 4;  // of multipliers
constexpr size_t DIGITS = 256 / DIGIT_BITS;
static_assert(MULTIPLES == 1 << (DIGIT_BITS - 1), "tables have all that a digit asks for");

class PointMultiplication {
public:
    // kernel: as for fetch_number_kernels; counts: one for each operation, of several lanes and of one;
    // single_entries: as for LaneDealer::init.
    int init(const Engine &engine, const char *kernel, const OperationCount *counts,
             const OperationCount *single_counts, size_t single_entries) {
        return dealer_.init(engine, ED25519_LAYOUT, kernel, counts, single_counts, single_entries);
    }
    bool have_several() const { return dealer_.have_several(); }
    bool have_single() const { return dealer_.have_single(); }

    // Calls each(lanes, first, count) for parts of n jobs, which have the lanes, with the neutral point in them.
    template <typename Each>
    void for_lanes(size_t n, Each each) const {
        dealer_.deal<PointLanes>(n, [&](PointLanes *lanes, size_t first, size_t count) {
            lanes->make_neutral();
            each(lanes, first, count);
        });
    }
    // Returns 1 to `entries` times the base point, then the same of 2^bits times it, and so on. entries: a power of 2.
    std::vector<AffinePoint> base_multiples(size_t positions, size_t entries, unsigned bits) const;

private:
    LaneDealer dealer_;
};

}  // namespace cst
