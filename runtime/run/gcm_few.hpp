// GCM messages without kernels: of short ones a call, its state block and the copies of the keys take longer than the work.
#pragma once

#include "../suite/key.hpp"
#include "gcm_blocks.hpp"

namespace cst {

// As measured on Zen 4. By vectors of four blocks: bytes of AAD, and of text. Else: AAD, text and lengths of so many blocks.
constexpr uint64_t GCM_MOST_WIDE = 4096;
constexpr uint64_t GCM_FEW = 9;
static_assert(GCM_FEW <= MOST_POWERS, "they are hashed at once");

inline bool gcm_few(const cst_job &job) {
    const Suite &suite = *reinterpret_cast<const Key *>(job.key)->suite;
    if (job.iv_len != GCM_IV || job.n_in_pieces | job.n_out_pieces || suite.forced) return false;
    if (suite.wide) return job.in_len <= GCM_MOST_WIDE && job.aad_len <= GCM_MOST_WIDE;
    return (job.in_len | job.aad_len) < GCM_FEW * GCM_BLOCK && whole_blocks(job.in_len) + whole_blocks(job.aad_len) < GCM_FEW * GCM_BLOCK;
}

// Runs such a job. False: it did not authenticate.
bool run_gcm_few(cst_job *job);

}  // namespace cst
