// A call of a kernel.
#pragma once

#include "../select/variant.hpp"

namespace cst {

// Over whole iterations of so many bytes. The kernel has been made; state: where the state blocks of its streams lie.
inline void call_kernel(const Variant &v, uint8_t *state, uint64_t bytes) {
    cst_kernel_args args;
    args.iterations = bytes >> v.step_log2;
    for (uint32_t i = 0; i < v.n_streams; i++) args.state[i] = state + v.state_offset[i];
    v.kernel.load(std::memory_order_acquire)->fn(&args);
    v.calls.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace cst
