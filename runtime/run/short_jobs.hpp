// Short jobs: a straight way for the many of them that real traffic brings, with little memory for each and few passes over it.
#pragma once

#include "work.hpp"

namespace cst {

// Most bytes of input and AAD together, and of the hash's head (AAD and IV), of a job that may go this way.
constexpr size_t SHORT_JOB = 2048, SHORT_HEAD = MOST_BLOCK;

// One short job under way. Its buffers lie in one piece each.
struct ShortJob {
    cst_job *job;
    const Key *key;
    Item item;
    bool failed;
    // A message of up to SHORT_BLOCKS is put together here; of others, where head and body meet (a block at most), and behind it the end (two blocks at
    // most). The jobs of a batch have theirs one behind the other, only as long as they need.
    uint8_t *blocks;
    alignas(16) uint8_t chain[64];  // of the cipher, then of the hash

    void take(cst_job *the_job, const Key *its_key) {
        job = the_job;
        key = its_key;
        failed = false;
    }
};
constexpr size_t SHORT_BLOCKS = 3 * MOST_BLOCK;

// Whether jobs of the suite can go this way: a cipher over whole blocks, a hash, HMAC, or encrypt-then-MAC of the two; nothing is forced.
bool takes_short_jobs(const Suite &suite);
// Whether the job is one. The suite takes such.
inline bool is_short(const Suite &suite, const cst_job &job) {
    return job.in_len + job.aad_len <= SHORT_JOB && job.aad_len + suite.iv_bytes <= SHORT_HEAD && !job.n_in_pieces && !job.n_out_pieces;
}

// `jobs` of the arena's short jobs have `job` and `key`, all of one suite and direction.
struct ShortBatch {
    const Suite *suite;
    Arena *arena;
    ShortJob *jobs;
    size_t n;
    bool one_key;
};
// Whether a pair kernel would be chosen for n jobs of `mean` bytes.
bool pairs_are_better(const Suite &suite, int direction, bool one_key, size_t n, uint64_t mean);
// Takes those out that pair kernels do better, as open_batch and seal_batch use them.
void leave_to_pairs(ShortBatch *batch);
void seal_short_jobs(const ShortBatch &batch);
// False when one did not authenticate.
bool open_short_jobs(const ShortBatch &batch);

}  // namespace cst
