// A call of a kernel.
#pragma once

#include "../select/variant.hpp"

namespace cst {

// For whole iterations of so many bytes. state: where the state blocks of its streams lie.
inline cst_kernel_args kernel_args(const Variant &v, uint8_t *state, uint64_t bytes) {
    cst_kernel_args args;
    args.iterations = bytes >> v.step_log2;
    for (uint32_t i = 0; i < v.n_streams; i++) args.state[i] = state + v.state_offset[i];
    return args;
}

// The kernel has been made.
inline void call_kernel(const Variant &v, uint8_t *state, uint64_t bytes) {
    const cst_kernel_args args = kernel_args(v, state, bytes);
    v.kernel.load(std::memory_order_acquire)->fn(&args);
    v.calls.add(1);
}

}  // namespace cst
