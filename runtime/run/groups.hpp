// Bursts of several lengths: jobs that are alike go side by side, wherever in the burst they stand.
#pragma once

#include "burst.hpp"
#include "cipher_few.hpp"

namespace cst {

// Whether such a job may have others to go with. Texts that need no kernel go by themselves as well.
inline bool groups_serve(const cst_job &job) {
    const Suite &suite = *key_of(job).suite;
    return suite.group_least != SIZE_MAX && !cipher_few(suite, job.direction, job.in_len);
}

// Runs those of the jobs, which are checked and wait, that groups_serve and others are alike to. The others stay waiting. As run_burst.
int run_groups(cst_job *jobs, size_t n);

}  // namespace cst
