// Functions that the calls of the C API that take jobs share.
#pragma once

#include "handles.hpp"

namespace cst {

class Memory;
enum class Likeness : uint8_t;

// Checks every argument of a job, before any of its bytes is touched. Returns CST_OK, or the error that the header
// names for the first argument that is wrong. CST_ERR_AUTH: the arguments are right, but the input to be opened has a
// length that sealing never makes, which is its sender's doing; it only remains to call `refuse_unopened`.
int check_job(const Engine &engine, const cst_job &job);
// Checks all jobs of an array and sets their statuses to the error of each, or to JOB_WAITING. Returns the first error,
// or CST_ERR_AUTH if there is no other (if there is, jobs to be refused have the status JOB_WAITING). likeness: NULL,
// or receives what the jobs have in common, or less than that.
int check_jobs(const Engine &engine, cst_job *jobs, size_t n, Likeness *likeness);
int check_one(const Engine &engine, cst_job *job);

// Returns how many jobs, from the first on, have the suite, direction and lengths of `model`, which are right, but for
// that of the text, and are surely right themselves. Uses AVX-512; writes nothing.
size_t surely_right_alike_wide(const cst_job &model, const cst_job *jobs, size_t n);

// Runs jobs for which check_jobs returned CST_OK or CST_ERR_AUTH, and refuses those that it found forged. CST_OK, or
// CST_ERR_AUTH if at least one job did not authenticate.
int run_checked(Memory *memory, cst_job *jobs, size_t n);

// Implements cst_burst for at least one job.
int burst(const Engine *engine, cst_job *jobs, size_t n);

}  // namespace cst
