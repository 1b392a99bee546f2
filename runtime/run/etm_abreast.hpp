// Encrypt-then-MAC, ESP too, of short messages that are alike: cipher and hash side by side, each straight from the jobs, without an arena.
#pragma once

#include "../suite/key.hpp"

namespace cst {

// Runs the burst, checked, whose jobs are alike (check_jobs), if it is such and no pair kernel would do better. As run_burst; otherwise, or without a kernel, all stay
// waiting, and so do jobs whose counters carry.
int run_etm_abreast(cst_job *jobs, size_t n);

}  // namespace cst
