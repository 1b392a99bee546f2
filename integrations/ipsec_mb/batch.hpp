// Jobs in hand, run on the library's bursts.
//
// A job becomes at most two of the library's, which run in two bursts one after the other: cipher and MAC in the job's
// order; sealing by CBC or CTR with an HMAC over the ciphertext and what lies in front of it, one, which the library
// stitches. The interface wants the tag that it computed, right or wrong, and the text in any case, so that what opens
// is a MAC to be written, and a cipher; of AEADs the MAC is done here, over the ciphertext.
#pragma once

#include "plan.hpp"

namespace cst::imb {

// Runs jobs and sets the status of each: IMB_STATUS_COMPLETED, _INVALID_ARGS, or _INTERNAL_ERROR (there was no memory,
// or a function of the caller's failed).
// Any number; they are independent of one another, but for segments of one message, which run in the order given.
// checked: as the caller asked for, which matters to the original library alone; here every job is checked. Returns the
// IMB_ERR of the last that was refused, or 0. Thread-safe for jobs that share no buffers. Nothing of a key remains.
int run_jobs(IMB_JOB *const *jobs, size_t n, bool checked);

// Runs a job for which runs_alone(plan.kind) holds, and whose arguments have been checked, as run_jobs does.
void run_checked(IMB_JOB *job, const Plan &plan);

}  // namespace cst::imb
