// GCM messages without kernels: of short ones a call, its state block and the copies of the keys take longer than the work.
#pragma once

#include "../suite/key.hpp"
#include "gcm_blocks.hpp"

namespace cst {

// As measured on Zen 4. Bytes of text, and of AAD, by vectors of four blocks (suite/gcm_wide.hpp).
constexpr uint64_t GCM_MOST_WIDE = 4096;
// Else: AAD, text and lengths of so many blocks.
constexpr uint64_t GCM_FEW = 20;
static_assert(GCM_FEW <= MOST_POWERS, "they are hashed at once");

// Whether that is for messages of these lengths, with an IV of the usual one, in one piece.
inline bool gcm_few(const Suite &suite, uint64_t bytes, uint64_t aad_bytes) {
    if (suite.wide) return bytes <= GCM_MOST_WIDE && aad_bytes <= GCM_MOST_WIDE;
    return (bytes | aad_bytes) < GCM_FEW * GCM_BLOCK && whole_blocks(bytes) + whole_blocks(aad_bytes) < GCM_FEW * GCM_BLOCK;
}
inline bool gcm_few(const cst_job &job) {
    const Suite &suite = *reinterpret_cast<const Key *>(job.key)->suite;
    return job.iv_len == GCM_IV && !(job.n_in_pieces | job.n_out_pieces) && !suite.forced && gcm_few(suite, job.in_len, job.aad_len);
}

// Runs such a job. False: it did not authenticate.
bool run_gcm_few(cst_job *job);

}  // namespace cst
