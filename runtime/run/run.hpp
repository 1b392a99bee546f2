// Bursts of checked jobs.
#pragma once

#include "../executors/message.hpp"

namespace cst {

// Runs the checked jobs whose status is JOB_WAITING. Returns CST_OK, or CST_ERR_AUTH if a job did not authenticate.
// The memory's owner cleans it, or its destructor does: once for all bursts of a call of the API.
int run_jobs(Memory *memory, cst_job *jobs, size_t n);
// Does the same with memory of its own; returns CST_ERR_MEMORY if there is none, and nothing was written. likeness:
// what the caller knows of the jobs; if it knows anything, all are to be run.
int run_jobs(const Engine &engine, cst_job *jobs, size_t n, Likeness likeness);

}  // namespace cst
