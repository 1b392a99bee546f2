// Clears registers: kernels clear what they used, but the compiler's code and the C library's memcpy move keys and data
// through registers, too.
#pragma once

#include "cpu.hpp"

namespace cst {

// Zeroes every register that a call may change, vectors as wide as the operating system saves them.
void clear_registers(RegisterState state);

}  // namespace cst
