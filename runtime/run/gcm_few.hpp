// GCM messages without kernels: of short ones a call, its state block and the copies of the keys take longer than the work.
#pragma once

#include <algorithm>

#include "../suite/key.hpp"
#include "gcm_blocks.hpp"

namespace cst {

// Bytes of text, and of AAD. Of longer ones a stitched kernel is worth its state block and the copy of the key; where it would be used but once, or would have to
// hash ahead of itself, of still longer ones. As measured on Zen 4.
struct GcmMost {
    uint64_t some, alone;
};
// By vectors of four blocks (suite/gcm_wide.hpp), of two and of one (suite/gcm_narrow.hpp).
constexpr GcmMost GCM_FOUR = {4095, 5120}, GCM_TWO = {1791, 3071}, GCM_ONE = {960, 1535};

// Whether that is for messages of these lengths, with an IV of the usual one, in one piece. alone: no other comes along.
inline bool gcm_few(const Suite &suite, uint64_t bytes, uint64_t aad_bytes, bool alone) {
    const GcmMost most = suite.wide ? GCM_FOUR : suite.double_blocks ? GCM_TWO : GCM_ONE;
    return (suite.wide || suite.narrow) && std::max(bytes, aad_bytes) <= (alone ? most.alone : most.some);
}
inline bool gcm_few(const cst_job &job, bool alone) {
    const Suite &suite = *reinterpret_cast<const Key *>(job.key)->suite;
    const bool overwrites = job.direction == CST_OPEN && job.in == job.out;
    return job.iv_len == GCM_IV && !(job.n_in_pieces | job.n_out_pieces) && !suite.forced && gcm_few(suite, job.in_len, job.aad_len, alone || overwrites);
}

// Whether jobs that are alike are all such.
inline bool gcm_all_few(const cst_job *jobs, size_t n) {
    return reinterpret_cast<const Key *>(jobs->key)->suite->construction == Construction::gcm && gcm_few(*jobs, n == 1);
}

// Runs alike jobs of which that is true. False: one did not authenticate.
bool run_gcm_few(cst_job *jobs, size_t n);

}  // namespace cst
