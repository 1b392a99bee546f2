#include "point_multiplication.hpp"

#include "../select/upper_halves.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

int PointMultiplication::init(const Engine &engine, const char *kernel, const Counts &counts) {
    engine_ = &engine;
    if (int error = fetch_point_kernels(engine, kernel, &all_)) return error;
    std::vector<LanePlan::Choice> choices;
    for (const PointKernels &kernels : all_) {
        double cycles = 0;
        for (size_t i = 0; i < POINT_OPERATIONS; i++)
            cycles += kernels.cycles(PointOperation(i), counts[i].calls, counts[i].iterations);
        choices.push_back({kernels.lanes(), cycles});
    }
    plan_ = std::make_unique<LanePlan>(choices);
    return CST_OK;
}

void PointMultiplication::prepare(const PointKernels &kernels) const {
    if (kernels.legacy_sse() && engine_->avx()) clear_upper_halves();
}

std::vector<AffinePoint> PointMultiplication::base_multiples(size_t positions, size_t entries, unsigned bits) const {
    const PointKernels &kernels = all_[plan_->first(1)];
    prepare(kernels);
    PointLanes lanes(kernels);
    std::vector<uint8_t> first(lanes.saved_bytes());
    std::vector<ChainPoint> chains;
    lanes.put_point(0, base_point());
    for (size_t position = 0; position < positions; position++) {
        lanes.save(first.data());
        lanes.run(PointOperation::cached);
        lanes.take_point();
        lanes.restore(first.data());
        chains.push_back(lanes.point(0));
        for (size_t i = 1; i < entries; i++) {
            lanes.run(PointOperation::add);
            chains.push_back(lanes.point(0));
        }
        lanes.run(PointOperation::twice, bits - unsigned(__builtin_ctzll(entries)));
    }
    std::vector<AffinePoint> points(chains.size());
    std::vector<Number25519> work(2 * chains.size());
    to_affine(chains.data(), chains.size(), points.data(), work.data());
    return points;
}

}  // namespace cst
