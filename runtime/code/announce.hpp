// Tells perf and gdb where kernels are that were assembled at run time, only if the environment variable
// CRYPTOSTITCH_ANNOUNCE asks for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frame.hpp"

namespace cst {

struct Announced;

// CRYPTOSTITCH_ANNOUNCE=perf: writes a line to /tmp/perf-PID.map; gdb: passes symbol and unwind table by gdb's JIT
// interface; both with a comma between. Returns NULL, or the argument of withdraw_kernel(), which must be called before
// the code is freed. Thread-safe; failures are silent, because they change no result.
Announced *announce_kernel(const char *name, const uint8_t *code, size_t code_bytes, const KernelFrame &frame);
void withdraw_kernel(Announced *announced);

}  // namespace cst
