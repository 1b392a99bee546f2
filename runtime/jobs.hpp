// What the calls of the C API that take jobs share.
#pragma once

#include "handles.hpp"

namespace cst {

// Every argument of a job, before any of its bytes is touched. CST_OK, or what the header says for the first thing that
// is wrong. CST_ERR_AUTH: the arguments are right, but what is to be opened has a length that nothing is sealed to,
// which is its sender's doing: `refuse_unopened` is all there is to do.
int check_job(const Engine &engine, const cst_job &job);
// The same of all jobs of an array: their statuses are what is wrong with each, or JOB_WAITING. The first error, or
// CST_ERR_AUTH if there is no other (else the statuses of those that would be refused are JOB_WAITING). alike:
// all are of one suite, direction and the same lengths, in one piece each; or false, though they may be.
int check_jobs(const Engine &engine, cst_job *jobs, size_t n, bool *alike);
int check_one(const Engine &engine, cst_job *job);

// How many, from the first on, have the lengths, suite and direction of `model`, which is surely right, and are so too.
// With AVX-512; writes nothing.
size_t surely_right_alike_wide(const cst_job &model, const cst_job *jobs, size_t n);

// cst_burst. At least one job.
int burst(const Engine *engine, cst_job *jobs, size_t n);

}  // namespace cst
