// Deals jobs to the lanes of kernels: which kernels, and how many jobs at a time.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "../select/upper_halves.hpp"
#include "lane_plan.hpp"
#include "number_lanes.hpp"

namespace cst {

class LaneDealer {
public:
    // kernel: as for fetch_number_kernels; counts: one for each operation of the layout, of several lanes and of one;
    // single_entries: how many entries of tables a single lane reads outside of its kernels.
    int init(const Engine &engine, const NumberLayout &layout, const char *kernel, const OperationCount *counts,
             const OperationCount *single_counts, size_t single_entries) {
        engine_ = &engine;
        if (int error = fetch_number_kernels(engine, layout, kernel, &all_)) return error;
        std::vector<LanePlan::Choice> choices;
        for (const NumberKernels &kernels : all_) {
            const size_t lanes = kernels.lanes();
            const double cycles = lanes == 1 ? cycles_of(kernels, single_counts) + double(single_entries) * ENTRY_CYCLES
                                             : cycles_of(kernels, counts);
            choices.push_back({lanes, cycles});
        }
        plan_ = std::make_unique<LanePlan>(choices);
        return 0;
    }

    // Whether some kernels have several lanes, or one.
    bool have_several() const {
        return has([](size_t lanes) { return lanes > 1; });
    }
    bool have_single() const {
        return has([](size_t lanes) { return lanes == 1; });
    }

    // Calls each(lanes, first, count) for parts of n jobs, which have the lanes. Parts with the same kernels have the
    // same object, with what the part before has left in it.
    template <typename Lanes, typename Each>
    void deal(size_t n, Each each) const {
        const NumberKernels *before = nullptr;
        std::unique_ptr<Lanes> lanes;
        for (size_t at = 0; at < n;) {
            const NumberKernels &kernels = all_[plan_->first(n - at)];
            const size_t count = std::min(kernels.lanes(), n - at);
            if (kernels.legacy_sse() && engine_->avx()) clear_upper_halves();
            if (before != &kernels) lanes = std::make_unique<Lanes>(kernels);
            each(lanes.get(), at, count);
            at += count;
            before = &kernels;
        }
    }

private:
    static constexpr double ENTRY_CYCLES = 100;  // about what reading one, and its digit, takes

    template <typename Is>
    bool has(Is is) const {
        return std::any_of(all_.begin(), all_.end(), [&](const NumberKernels &its) { return is(its.lanes()); });
    }

    const Engine *engine_ = nullptr;
    std::vector<NumberKernels> all_;
    std::unique_ptr<LanePlan> plan_;
};

}  // namespace cst
