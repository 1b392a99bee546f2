// The paths by which the messages of a class run, from the one with least bookkeeping to the steps of its
// construction.
#pragma once

#include "../plan/lineup.hpp"
#include "../executors/message.hpp"

namespace cst {

// Prefetches what the next checked jobs read, if it is in no cache (run/fetch.cpp). Does nothing if keys were used
// recently, and so are cached.
void fetch_cold(const cst_job *jobs, size_t n);

// The path of one kernel call per message, directly from the jobs: state between two steps of a message stays in
// registers, and only pointers are copied to a state block.
// Runs jobs of one suite, direction and length if this path takes them: checksums, and texts in one piece, of a cipher
// alone, of GCM (SP 800-38D) or of ChaCha20-Poly1305 (RFC 8439), this with a short AAD. Returns CST_OK, CST_ERR_AUTH,
// or JOB_WAITING: it does not take them, or other kernels take less time; nothing was written.
int run_one_call(cst_job *jobs, size_t n);
// Returns the call that runs n jobs of the same shape under keys of this suite; NULL: there is none, or other kernels
// take less time. spare: memory for the call, if there is no other.
const KernelCall *one_call(const Suite &suite, const cst_job *jobs, size_t n, KernelCall *spare);
// Returns the call for one message in one piece, under keys of a suite that is not forced, if it is known already.
[[gnu::always_inline]] inline const KernelCall *known_call(const Suite &suite, bool opens, uint64_t aad,
                                                           uint64_t bytes) {
    const KernelCall *call = nullptr;
    const bool known = suite.laid[opens].row(suite.engine->cost_generation(), aad).recall(bytes, &call);
    return known && usual(suite) ? call : nullptr;
}
// Returns the call for one message of that length, whatever its key. NULL: as one_call. Of GCM it may be one of lists,
// which make_tags (job_list.hpp) runs; without_list is the call of a kernel of single messages.
const KernelCall *choose_call(const Suite &suite, bool opens, uint64_t aad, uint64_t bytes, KernelCall *spare);
inline const KernelCall *whole_call(const Suite &suite, bool opens, uint64_t aad, uint64_t bytes, KernelCall *spare) {
    const KernelCall *const known = known_call(suite, opens, aad, bytes);
    return known && known->run ? known : choose_call(suite, opens, aad, bytes, spare);
}
// Returns that call if it is one of lists. NULL: it is not.
inline const KernelCall *list_call(const Suite &suite, bool opens, uint64_t aad, uint64_t bytes) {
    KernelCall spare;
    const KernelCall *const call = whole_call(suite, opens, aad, bytes, &spare);
    return call && call->place.is_listed ? call : nullptr;
}
// Runs a job of a suite that is not forced, if the kernel for it is known. JOB_WAITING: it is not, or the kernel does
// not take the job; nothing was written.
[[gnu::always_inline]] inline int run_known(cst_job *job) {
    const KernelCall *const call =
        known_call(*key_of(*job).suite, job->direction == CST_OPEN, job->aad_len, job->in_len);
    return call && !in_pieces(*job) ? call->run_one(*call, job) : JOB_WAITING;
}
// Does the same with jobs of one kind.
int run_one_call_each(cst_job *jobs, size_t n);
// Runs those of at most MOST_MESSAGES jobs, of any lengths, that such kernels take; the others stay JOB_WAITING.
// Returns false if a job did not authenticate.
bool run_one_calls(cst_job *jobs, size_t n);

// Runs jobs of one shape, in one piece each, that take least time one after the other on kernels of one lane: a digest,
// a MAC, CBC, encrypt-then-MAC, CCM, a TLS record to be sealed. Returns as run_one_call.
int run_now(cst_job *jobs, size_t n);
// Plans what run_now does with n jobs like this one. Returns false if it does not take them.
bool plan_now(const Suite &suite, const cst_job &job, size_t n, Plan *plan);

// Runs a class (jobs of one suite and direction, the longest first, at most MOST_MESSAGES) as lists of segments: all
// but GCM and ChaCha20-Poly1305. Returns CST_OK, CST_ERR_AUTH, or JOB_WAITING: it is one of these; nothing was written.
// readable: NULL, or the address up to which bytes after an input may be read (their values do not matter).
int run_lists(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable);
// Plans what run_lists does with n jobs like this one. Returns false if it does not take them.
bool plan_lists(const Suite &suite, const cst_job &job, size_t n, bool one_key, Plan *plan);

// Run the messages of a class in steps. Each sets status and out_len of all jobs.
void run_gcm(const Class &c);
void run_chacha_poly(const Class &c);

}  // namespace cst
