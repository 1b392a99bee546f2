#include "point_multiplication.hpp"

namespace cst {

std::vector<AffinePoint> PointMultiplication::base_multiples(size_t positions, size_t entries, unsigned bits) const {
    std::vector<ChainPoint> chains;
    for_lanes(1, [&](PointLanes *lanes, size_t, size_t) {
        std::vector<uint8_t> first(lanes->saved_bytes());
        lanes->put_point(0, base_point());
        for (size_t position = 0; position < positions; position++) {
            lanes->save(first.data());
            lanes->run(PointOperation::cached);
            lanes->take_point();
            lanes->restore(first.data());
            chains.push_back(lanes->point(0));
            for (size_t i = 1; i < entries; i++) {
                lanes->run(PointOperation::add);
                chains.push_back(lanes->point(0));
            }
            lanes->run(PointOperation::twice, bits - unsigned(__builtin_ctzll(entries)));
        }
    });
    std::vector<AffinePoint> points(chains.size());
    std::vector<Number25519> work(2 * chains.size());
    to_affine(chains.data(), chains.size(), points.data(), work.data());
    return points;
}

}  // namespace cst
