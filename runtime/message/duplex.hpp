// Runs AEADs of one state.
#pragma once

#include "../executors/message.hpp"
#include "../plan/lineup.hpp"

namespace cst {

// Runs jobs of one suite and direction, at most MOST_MESSAGES. Returns false if one did not authenticate.
bool run_duplex(Memory *memory, cst_job *const *jobs, size_t n);
// Returns the kernel selection of run_duplex for `messages` messages with so many bytes of AAD and text each, or, where
// these have no block, with one.
Ranking rank_duplex(const Suite &suite, size_t messages, uint64_t aad, uint64_t text);

}  // namespace cst
