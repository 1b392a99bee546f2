// Plans which kernels a burst would take.
#pragma once

#include "../plan/lineup.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

// Returns the kernel selections for n jobs like this one, of which only lengths and direction count, by asking the
// paths in the order of run_jobs (burst.cpp). Beside a kernel that does both, cipher and hash are those that would run
// one after the other.
Plan plan_class(const Suite &suite, const cst_job &job, size_t n, bool one_key);

}  // namespace cst
