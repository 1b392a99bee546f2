// What the calls of the C API that take jobs share.
#pragma once

#include "handles.hpp"

namespace cst {

// Every argument of a job, before any of its bytes is touched. CST_OK, or what the header says for the first thing that is wrong.
int check_job(const Engine &engine, const cst_job &job);
// The same of all jobs of an array: their statuses are what is wrong with each, or JOB_WAITING. The first error. alike: all are of one suite, direction and
// the same lengths, in one piece each; or false, though they may be.
int check_jobs(const Engine &engine, cst_job *jobs, size_t n, bool *alike);
int check_one(const Engine &engine, cst_job *job);

// Whether a burst that begins with this job may be such as surely_alike asks for.
inline bool may_be_alike(const cst_job &first) { return first.size == sizeof(cst_job) && first.key && from(first.key)->suite->kind == CST_CIPHER; }
// Whether all jobs are right, and of one cipher alone, one direction and one length up to `most`, in one piece each, by few tests. False: they may be right
// all the same. Writes nothing. The first one may_be_alike.
bool surely_alike(const Engine &engine, const cst_job *jobs, size_t n, size_t most);

// cst_burst. At least one job.
int burst(const Engine *engine, cst_job *jobs, size_t n);

}  // namespace cst
