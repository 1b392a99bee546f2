#include "job_list.hpp"

#include <algorithm>

#include "../suite/secret.hpp"
#include "whole_texts.hpp"

namespace cst {
namespace {

constexpr size_t MOST_LISTED = 64;  // jobs of a list
constexpr size_t TAG = 16;          // bytes

// Compares the tag that the kernel has left in the job, which counts as done, in place of its pieces, of which there
// are none, and restores their pointer. Returns false on a mismatch.
bool settle_opened(cst_job *job, const cst_piece *in_pieces) {
    uint8_t *const made = reinterpret_cast<uint8_t *>(&job->in_pieces);
    const bool right = same_bytes(made, static_cast<const uint8_t *>(job->tag), TAG);
    wipe(made, TAG);
    job->in_pieces = in_pieces;
    if (!right) refuse_unopened(job);
    return right;
}

// Runs jobs that the kernel takes.
template <bool AEAD>
int run_taken(const KernelCall &call, cst_job *const *list, size_t n) {
    const bool verifies = AEAD && call.opens;
    bool all = true;
    for (size_t left = n, some; left; list += some, left -= some) {
        some = std::min(left, MOST_LISTED);
        const cst_piece *in_pieces[MOST_LISTED];
        for (size_t i = 0; i < some; i++) {
            if (verifies) in_pieces[i] = list[i]->in_pieces;
            text_done(list[i]);
        }
        cst_kernel_args args;
        args.iterations = some;
        args.state[0] = const_cast<cst_job **>(list);
        call.fn(&args);
        for (size_t i = 0; verifies && i < some; i++) all &= settle_opened(list[i], in_pieces[i]);
    }
    call.variant->calls.add(n);
    return all ? CST_OK : CST_ERR_AUTH;
}

template <bool AEAD>
int run_jobs_listed(const KernelCall &call, JobList jobs, size_t n) {
    const ListTakes<AEAD> takes(call);
    bool all = true;
    for (size_t first = 0; first < n; first += MOST_LISTED) {
        cst_job *taken[MOST_LISTED], *others[MOST_LISTED];
        size_t some = 0, left = 0;
        const size_t end = std::min(n, first + MOST_LISTED);
        for (size_t i = first; i < end; i++) {
            cst_job *const job = taken[some] = others[left] = jobs[i];
            const bool its = takes(*job);
            some += its;
            left += !its;
        }
        if (some) all &= run_taken<AEAD>(call, taken, some) == CST_OK;
        if (left) all &= call.parts.block->run(*call.parts.block, JobList(others), left) == CST_OK;
    }
    return all ? CST_OK : CST_ERR_AUTH;
}

template <bool AEAD>
int run_job_listed(const KernelCall &call, cst_job *job) {
    if (!ListTakes<AEAD>(call)(*job) || !(AEAD || TextCalls::takes(*key_of(*job).suite, *job)))
        return call.parts.block->run_one(*call.parts.block, job);
    return run_taken<AEAD>(call, &job, 1);
}

}  // namespace

void set_job_list(KernelCall *call) {
    const bool aead = call->variant->jobs.tag;
    call->run_taken = aead ? run_taken<true> : run_taken<false>;
    call->run = aead ? run_jobs_listed<true> : run_jobs_listed<false>;
    call->run_one = aead ? run_job_listed<true> : run_job_listed<false>;
}

}  // namespace cst
