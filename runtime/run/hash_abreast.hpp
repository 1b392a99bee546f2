// Digests and HMACs of messages that have the same number of blocks: as many side by side as a kernel has lanes, straight from the caller's jobs. Memory is the
// stack's: a state block, and the ends of the messages with their padding.
#pragma once

#include "../suite/key.hpp"
#include "work.hpp"

namespace cst {

// Runs the burst, checked, if all its jobs are such, of one suite, and no kernel is forced. As run_burst; otherwise, or without a kernel, all stay waiting.
int run_hash_abreast(cst_job *jobs, size_t n);

}  // namespace cst
