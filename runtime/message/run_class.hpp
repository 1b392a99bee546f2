// Declares how a construction has jobs of another suite run; run/burst.cpp defines it.
#pragma once

#include "../executors/message.hpp"

namespace cst {

// Runs jobs of one suite and direction, the longest (by blocks) first, at most memory->room(). Returns false if a job
// did not authenticate. Does not wipe the memory. readable: as for run_lists.
bool run_class(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable = nullptr);

}  // namespace cst
