// GCM messages without kernels: of short ones a call, its state block and the copies of the keys take longer than the work.
#pragma once

#include <algorithm>

#include "../select/upper_halves.hpp"
#include "../suite/gcm_narrow.hpp"
#include "../suite/key.hpp"
#include "gcm_blocks.hpp"

namespace cst {

// Whether that is for messages of these lengths, with an IV of the usual one, in one piece. alone: no other comes along.
inline bool gcm_few(const Suite &suite, uint64_t bytes, uint64_t aad_bytes, bool alone) { return std::max(bytes, aad_bytes) < suite.gcm_few_below[alone]; }
inline bool gcm_few(const cst_job &job, bool alone) {
    const Suite &suite = *key_of(job).suite;
    const bool overwrites = job.direction == CST_OPEN && job.in == job.out;
    return job.iv_len == GCM_IV && !(job.n_in_pieces | job.n_out_pieces) && !suite.forced && gcm_few(suite, job.in_len, job.aad_len, alone || overwrites);
}

// Whether jobs that are alike are all such.
inline bool gcm_all_few(const cst_job *jobs, size_t n) {
    return key_of(*jobs).suite->construction == Construction::gcm && gcm_few(*jobs, n == 1);
}

// Those that did not authenticate are as good as never opened.
void refuse_forged(cst_job *jobs, size_t n);

// Runs alike jobs of which that is true. False: one did not authenticate. Inline: a fifth of a short message's time would go into calls.
inline bool run_gcm_few(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs).suite;
    if (!suite.wide && suite.engine->avx()) clear_upper_halves();
    const bool all = suite.wide ? gcm_wide(jobs, n) : gcm_narrow(jobs, n, suite.double_blocks);
    if (!all) refuse_forged(jobs, n);
    return all;
}

}  // namespace cst
