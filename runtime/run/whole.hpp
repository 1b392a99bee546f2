// Messages that need no bookkeeping: short texts, each a stretch of a kernel; digests and HMACs in one piece; MACs of
// what a lane's scratch holds altogether. They run straight from the jobs: a Message for each takes longer than the
// work.
#pragma once

#include "message.hpp"

namespace cst {

// Runs a class (jobs of one suite and direction, the longest first, at most MOST_MESSAGES) if all of it is such: a
// cipher, a MAC, encrypt-then-MAC without padding, or CCM. CST_OK, CST_ERR_AUTH, or JOB_WAITING: it is not, and nothing
// has happened. readable: NULL, or up to there bytes behind an input may be read (and do not count).
int run_whole(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable);

// The steps run over some of a class.
struct Whole {
    Memory *memory;
    cst_job *const *jobs;
    size_t n;
    uint64_t mean;  // bytes of a text
    bool one_key;
    uint64_t grain;  // of texts: a power of two that divides all lengths; 0: what is left of an iteration is filled up
    const uint8_t *readable;
};

// Texts of at least a byte.
void run_whole_texts(const Whole &w);
// Sealing, writes tags; opening, a job whose tag is wrong is refused. Sets status and out_len of all. False: one was.
bool run_whole_macs(const Whole &w);

}  // namespace cst
