// Inverses modulo odd numbers of 256 bits. No branch and no address depends on a number.
#pragma once

#include "number256.hpp"

namespace cst {

// Returns 1 / a modulo m, below m, and 0 for 0; a is below m, which is odd and, for an inverse to be there, a prime.
Number256 inverse256(const Number256 &a, const Number256 &m);

}  // namespace cst
