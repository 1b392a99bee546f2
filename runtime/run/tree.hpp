// Runs hashes of a tree: chunks of a message, and pairs of chaining values, are nodes that kernels hash in lanes.
#pragma once

#include <cstddef>

#include "lineup.hpp"
#include "run.hpp"

namespace cst {

// Runs jobs of one suite, at most MOST_MESSAGES. Returns false if one did not authenticate.
bool run_trees(Memory *memory, cst_job *const *jobs, size_t n);
// Returns the kernel selection for the chunks of `messages` messages of `bytes` bytes each.
Ranking rank_trees(const Suite &suite, size_t messages, uint64_t bytes);

}  // namespace cst
