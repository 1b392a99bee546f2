// GCM messages without an arena.
#pragma once

#include "../suite/key.hpp"

namespace cst {

// Runs of the jobs that wait, of this suite and direction, those that need none: short ones, and those that go through one stitched kernel. False: one did not
// authenticate.
bool run_gcm_burst(const Suite &suite, int direction, cst_job *jobs, size_t n);

}  // namespace cst
