#include "point_multiplication.hpp"

#include "../select/upper_halves.hpp"

namespace cst {
namespace {

constexpr PointMultiplication::Counts BY_ADDITION = {{0, 0}, {1, 1}};

}  // namespace

int PointMultiplication::init(const Engine &engine, const char *kernel) {
    engine_ = &engine;
    return fetch_point_kernels(engine, kernel, &all_);
}

const PointKernels &PointMultiplication::best(size_t n, const Counts &counts) const {
    const auto each = [&](const PointKernels &kernels) {
        double cycles = 0;
        for (size_t i = 0; i < POINT_OPERATIONS; i++)
            cycles += kernels.cycles(PointOperation(i), counts[i].calls, counts[i].iterations);
        return cycles / double(std::min(kernels.lanes(), n));
    };
    return *std::min_element(all_.begin(), all_.end(),
                             [&](const PointKernels &a, const PointKernels &b) { return each(a) < each(b); });
}

void PointMultiplication::prepare(const PointKernels &kernels) const {
    if (kernels.legacy_sse() && engine_->avx()) clear_upper_halves();
}

std::vector<AffinePoint> PointMultiplication::base_multiples(size_t positions, size_t entries, unsigned bits) const {
    const PointKernels &kernels = best(1, BY_ADDITION);
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
