// Multiples of points of edwards25519 by kernels: which of them, and for how many jobs at a time.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "lane_plan.hpp"
#include "point_lanes.hpp"

namespace cst {

constexpr unsigned DIGIT_BITS = 4;  // of multipliers
constexpr size_t DIGITS = 256 / DIGIT_BITS;
static_assert(MULTIPLES == 1 << (DIGIT_BITS - 1), "tables have all that a digit asks for");

class PointMultiplication {
public:
    // How often a kernel is called, and how many iterations that makes, while every lane does one job.
    struct Count {
        double calls, iterations;
    };
    using Counts = Count[POINT_OPERATIONS];

    // kernel: as for fetch_point_kernels.
    int init(const Engine &engine, const char *kernel, const Counts &counts);

    // Calls each(lanes, first, count) for parts of n jobs, which have the lanes, with the neutral point in them.
    template <typename Each>
    void for_lanes(size_t n, Each each) const {
        const PointKernels *before = nullptr;
        std::unique_ptr<PointLanes> lanes;
        for (size_t at = 0; at < n;) {
            const PointKernels &kernels = all_[plan_->first(n - at)];
            const size_t count = std::min(kernels.lanes(), n - at);
            prepare(kernels);
            if (before != &kernels) lanes = std::make_unique<PointLanes>(kernels);
            else lanes->make_neutral();
            each(lanes.get(), at, count);
            at += count;
            before = &kernels;
        }
    }
    // Returns 1 to `entries` times the base point, then the same of 2^bits times it, and so on. entries: a power of 2.
    std::vector<AffinePoint> base_multiples(size_t positions, size_t entries, unsigned bits) const;

private:
    void prepare(const PointKernels &kernels) const;

    const Engine *engine_ = nullptr;
    std::vector<PointKernels> all_;
    std::unique_ptr<LanePlan> plan_;
};

}  // namespace cst
