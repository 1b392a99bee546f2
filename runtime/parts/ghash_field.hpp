// The field of GHASH (SP 800-38D, 6.3), by kernels.
#pragma once

#include "../suite/key.hpp"

namespace cst {

// *y *= x. Of a suite of GCM; the time does not depend on them.
void multiply(const Suite &suite, uint8_t *y, const uint8_t *x);
// *x = 1 / *x; of 0 it is 0. Takes some ten thousand cycles.
void invert(const Suite &suite, uint8_t *x);

}  // namespace cst
