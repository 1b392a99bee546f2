// Jobs whose cipher and hash run as two jobs, one after the other: those with a function of the caller's own, and those
// whose hash runs by itself (GMAC, GHASH, Poly1305).
#pragma once

#include "interface.hpp"

namespace cst::imb {

// Whether that half of such a job is a function that the job names.
inline bool is_custom(const IMB_JOB &job, bool cipher) {
    return cipher ? job.cipher_mode == IMB_CIPHER_CUSTOM : job.hash_alg == IMB_AUTH_CUSTOM;
}
// Returns the cipher, or the hash, of such a job as a job by itself.
IMB_JOB half_of(const IMB_JOB &job, bool cipher);

// Runs both halves in the job's order and sets its status, IMB_STATUS_INTERNAL_ERROR where a function of the caller's
// returns other than 0: the half behind it does not run then. Arguments have been checked. Returns as run_jobs does.
int run_apart(IMB_JOB *job, bool checked);

}  // namespace cst::imb
