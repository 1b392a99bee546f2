// Items in the lanes of one kernel: loaded, run, unloaded, refilled.
#pragma once

#include "lanes.hpp"

namespace cst {

// Both run n items, each of which the kernel can begin, and return the number of calls.

// Items that are alike: the same pieces, no longer than IDLE_OUT_BYTES. As far as whole iterations go.
uint64_t run_alike(const Variant &v, cst_kernel_fn fn, LaneMemory *memory, Item *const *items, size_t n);

// Until each has fewer iterations left than a call needs, or, once the list is empty, until no more than `stop_at` lanes are live.
uint64_t run_uneven(const Variant &v, cst_kernel_fn fn, LaneMemory *memory, Item *const *items, size_t n, size_t stop_at);

}  // namespace cst
