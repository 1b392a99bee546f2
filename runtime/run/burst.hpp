// A burst of checked jobs: sorted into classes, and run.
#pragma once

#include "message.hpp"

namespace cst {

// Runs the jobs whose status is JOB_WAITING; they have been checked. CST_OK, or CST_ERR_AUTH when one did not
// authenticate. Leaves the memory wiped.
int run_jobs(Memory *memory, cst_job *jobs, size_t n);
// The same with memory of its own: CST_ERR_MEMORY, and nothing has happened. alike: it is known
// that all are to be run, are of one suite and direction, and as long as the first.
int run_jobs(const Engine &engine, cst_job *jobs, size_t n, bool alike);

// Jobs of one suite and direction, the longest (by blocks) first, at most memory->room(). False: one did not
// authenticate. Leaves the memory as it is. readable: as run_whole.
bool run_class(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable = nullptr);

// What becomes of a forgery: CST_ERR_AUTH, and a zeroed output.
void refuse_unopened(cst_job *job);

}  // namespace cst
