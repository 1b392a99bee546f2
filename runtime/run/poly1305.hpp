// Poly1305 (RFC 8439, 2.5) of what stands alone, outside of any plan.
#pragma once

#include "../select/engine.hpp"
#include "../suite/poly1305.hpp"

namespace cst {

// Adds whole blocks, by the one of these kernels that takes r itself and has the fewest lanes.
void poly1305_blocks(const Engine &engine, const Family &kernels, const PolyKey &key, uint64_t *accumulator,
                     const uint8_t *in, uint64_t blocks);

}  // namespace cst
