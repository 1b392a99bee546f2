// GCM messages without kernels: of short ones a call, its state block and the copies of the keys take longer than the work.
#pragma once

#include "../suite/key.hpp"
#include "gcm_blocks.hpp"

namespace cst {

// As measured on Zen 4. Bytes of text, and of AAD, by vectors of four blocks (suite/gcm_wide.hpp): of longer ones a stitched kernel is worth its state block and the
// copy of the key; where it would be used but once, or would have to hash ahead of itself, of still longer ones.
constexpr uint64_t GCM_MOST_WIDE = 4095, GCM_MOST_WIDE_ALONE = 5120;
// Else: AAD, text and lengths of so many blocks. Several messages (gcm_short.hpp) are better off with kernels from fewer on, if these are not legacy SSE's.
constexpr uint64_t GCM_FEW_ALONE = 32, GCM_FEW = 20;
// Fewer jobs, and shorter texts, leave lanes behind (gcm_lanes.hpp).
constexpr uint64_t GCM_LANES = 8, GCM_LANES_TEXT = 128;
static_assert(GCM_FEW_ALONE <= MOST_POWERS, "they are hashed at once");

// Whether that is for messages of these lengths, with an IV of the usual one, in one piece. alone: no other comes along.
inline bool gcm_few(const Suite &suite, uint64_t bytes, uint64_t aad_bytes, bool alone) {
    const uint64_t most = alone ? GCM_MOST_WIDE_ALONE : GCM_MOST_WIDE;
    if (suite.wide) return bytes <= most && aad_bytes <= most;
    const uint64_t room = (alone || !suite.engine->avx() ? GCM_FEW_ALONE : GCM_FEW) * GCM_BLOCK;
    return (bytes | aad_bytes) < room && whole_blocks(bytes) + whole_blocks(aad_bytes) < room;
}
inline bool gcm_few(const cst_job &job, bool alone) {
    const Suite &suite = *reinterpret_cast<const Key *>(job.key)->suite;
    const bool overwrites = job.direction == CST_OPEN && job.in == job.out;
    return job.iv_len == GCM_IV && !(job.n_in_pieces | job.n_out_pieces) && !suite.forced && gcm_few(suite, job.in_len, job.aad_len, alone || overwrites);
}

// Whether jobs that are alike are all such, and lanes (gcm_lanes.hpp) are no better.
inline bool gcm_all_few(const cst_job *jobs, size_t n) {
    const Suite &suite = *reinterpret_cast<const Key *>(jobs->key)->suite;
    if (suite.construction != Construction::gcm || !gcm_few(*jobs, n == 1)) return false;
    return suite.wide || n < GCM_LANES || jobs->in_len <= GCM_LANES_TEXT || !suite.engine->avx();
}

// Runs alike jobs of which that is true. False: one did not authenticate.
bool run_gcm_few(cst_job *jobs, size_t n);

}  // namespace cst
