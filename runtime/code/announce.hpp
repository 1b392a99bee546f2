// Tells other programs where kernels lie that were assembled at run time: perf and gdb. Only where the environment
// variable CRYPTOSTITCH_ANNOUNCE asks for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frame.hpp"

namespace cst {

struct Announced;

// CRYPTOSTITCH_ANNOUNCE=perf: a line in /tmp/perf-PID.map; gdb: symbol and unwind table by gdb's JIT interface; both
// with a comma between. NULL, or what withdraw_kernel() takes before the code goes. Thread-safe; failures are silent,
// because they change no result.
Announced *announce_kernel(const char *name, const uint8_t *code, size_t code_bytes, const KernelFrame &frame);
void withdraw_kernel(Announced *announced);

}  // namespace cst
