// A call of a kernel of one stream.
#pragma once

#include "../select/variant.hpp"

namespace cst {

// Over whole iterations of so many bytes. The kernel has been made; state: where the state blocks of its streams lie.
inline void call_kernel(const Variant &v, uint8_t *state, uint64_t bytes) {
    const cst_kernel_args args = {bytes >> v.step_log2, {state + v.state_offset[0]}};
    v.kernel.load(std::memory_order_acquire)->fn(&args);
    v.calls.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace cst
