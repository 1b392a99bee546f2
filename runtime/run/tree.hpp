// Hashes of a tree: chunks of a message, and pairs of chaining values, are nodes that kernels hash in lanes.
#pragma once

#include <cstddef>

#include "lineup.hpp"
#include "run.hpp"

namespace cst {

// Jobs of one suite, at most MOST_MESSAGES. False: one did not authenticate.
bool run_trees(Memory *memory, cst_job *const *jobs, size_t n);
// What the chunks of so many messages of so many bytes take.
Ranking rank_trees(const Suite &suite, size_t messages, uint64_t bytes);

}  // namespace cst
