// What the calls of the C API that take jobs share.
#pragma once

#include "handles.hpp"

namespace cst {

// Every argument of a job, before any of its bytes is touched. CST_OK, or what the header says for the first thing that is wrong.
int check_job(const Engine &engine, const cst_job &job);

// cst_burst. At least one job.
int burst(const Engine *engine, cst_job *jobs, size_t n);

}  // namespace cst
