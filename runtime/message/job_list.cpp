#include "job_list.hpp"

#include <algorithm>

#include "../suite/secret.hpp"
#include "whole_texts.hpp"

namespace cst {
namespace {

constexpr size_t MOST_LISTED = 64;  // jobs of a list
constexpr size_t TAG = 16;          // bytes

uintptr_t address(const void *p) { return reinterpret_cast<uintptr_t>(p); }

// Whether the kernel takes the job: a masked access that reaches into a page which is not there, or was never touched,
// takes hundreds of cycles, though none of that page's bytes is accessed.
template <bool AEAD>
class Takes {
public:
    explicit Takes(const KernelCall &call) : jobs_(call.variant->jobs), end_(call.place.head + call.step) {}
    [[gnu::always_inline]] bool operator()(const cst_job &job) const {
        const uintptr_t text = job.in_len - 1;
        uintptr_t leaves =
            in_two_pages(address(job.in), text, end_ - 1) | in_two_pages(address(job.out), text, end_ - 1);
        if (!AEAD) return leaves < PAGE;  // there is no other length than that of the text
        leaves |= in_two_pages(address(job.aad), job.aad_len - 1, MESSAGE_AAD - 1);
        return jobs_.take(job) & (leaves < PAGE);
    }

private:
    static constexpr uintptr_t PAGE = 4096;
    static uintptr_t in_two_pages(uintptr_t from, uintptr_t a, uintptr_t b) { return (from + a) ^ (from + b); }
    const ListedJobs jobs_;
    const uintptr_t end_;
};

// Compares the tag that the kernel has left in the job, in place of its pieces, of which there are none, and restores
// their pointer. Returns false on a mismatch.
bool settle_opened(cst_job *job, const cst_piece *in_pieces) {
    uint8_t *const made = reinterpret_cast<uint8_t *>(&job->in_pieces);
    const bool right = same_bytes(made, static_cast<const uint8_t *>(job->tag), TAG);
    wipe(made, TAG);
    job->in_pieces = in_pieces;
    if (right) text_done(job);
    else refuse_unopened(job);
    return right;
}

template <bool AEAD>
int run_some(const KernelCall &call, cst_job *const *list, size_t n) {
    cst_kernel_args args;
    args.iterations = n;
    args.state[0] = const_cast<cst_job **>(list);
    const bool verifies = AEAD && call.opens;
    const cst_piece *in_pieces[MOST_LISTED];
    for (size_t i = 0; i < n; i++)
        if (verifies) in_pieces[i] = list[i]->in_pieces;
        else text_done(list[i]);
    call.fn(&args);
    call.variant->calls.add(n);
    bool all = true;
    for (size_t i = 0; verifies && i < n; i++) all &= settle_opened(list[i], in_pieces[i]);
    return all ? CST_OK : CST_ERR_AUTH;
}

template <bool AEAD>
int run_jobs_listed(const KernelCall &call, JobList jobs, size_t n) {
    const Takes<AEAD> takes(call);
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
        if (some) all &= run_some<AEAD>(call, taken, some) == CST_OK;
        if (left) all &= call.parts.block->run(*call.parts.block, JobList(others), left) == CST_OK;
    }
    return all ? CST_OK : CST_ERR_AUTH;
}

template <bool AEAD>
int run_job_listed(const KernelCall &call, cst_job *job) {
    if (!Takes<AEAD>(call)(*job) || !(AEAD || TextCalls::takes(*key_of(*job).suite, *job)))
        return call.parts.block->run_one(*call.parts.block, job);
    return run_some<AEAD>(call, &job, 1);
}

}  // namespace

void set_job_list(KernelCall *call) {
    const bool aead = call->variant->jobs.tag;
    call->run = aead ? run_jobs_listed<true> : run_jobs_listed<false>;
    call->run_one = aead ? run_job_listed<true> : run_job_listed<false>;
}

}  // namespace cst
