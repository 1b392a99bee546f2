#include "job_list.hpp"

#include <algorithm>

#include "../executors/message.hpp"
#include "../suite/secret.hpp"

namespace cst {
namespace {

constexpr size_t MOST_LISTED = 64;  // jobs of a list

uintptr_t address(const void *p) { return reinterpret_cast<uintptr_t>(p); }

// Whether the kernel takes the job: a masked access that reaches into a page which is not there, or was never touched,
// takes hundreds of cycles, though none of that page's bytes is accessed.
class Takes {
public:
    explicit Takes(const KernelCall &call) : stride_(call.step - 1) {}
    [[gnu::always_inline]] bool operator()(const cst_job &job) const {
        const uintptr_t text = job.in_len - 1;
        const uintptr_t leaves = in_two_pages(address(job.in), text, text | stride_) |
                                 in_two_pages(address(job.out), text, text | stride_) |
                                 in_two_pages(address(job.aad), job.aad_len - 1, MESSAGE_AAD - 1);
        return takes_list(job) & (leaves < PAGE);
    }

private:
    static constexpr uintptr_t PAGE = 4096;
    static uintptr_t in_two_pages(uintptr_t from, uintptr_t a, uintptr_t b) { return (from + a) ^ (from + b); }
    const uintptr_t stride_;
};

// Compares the tag that the kernel has left in the job, in place of its pieces, of which there are none, and restores
// their pointer. Returns false on a mismatch.
bool settle_opened(cst_job *job, const cst_piece *in_pieces) {
    uint8_t *const made = reinterpret_cast<uint8_t *>(&job->in_pieces);
    const bool right = same_bytes(made, static_cast<const uint8_t *>(job->tag), LISTED_TAG);
    wipe(made, LISTED_TAG);
    job->in_pieces = in_pieces;
    if (right) text_done(job);
    else refuse_unopened(job);
    return right;
}

int run_some(const KernelCall &call, cst_job *const *list, size_t n) {
    cst_kernel_args args;
    args.iterations = n;
    args.state[0] = const_cast<cst_job **>(list);
    const cst_piece *in_pieces[MOST_LISTED];
    for (size_t i = 0; call.opens && i < n; i++) in_pieces[i] = list[i]->in_pieces;
    call.fn(&args);
    call.variant->calls.add(n);
    bool all = true;
    for (size_t i = 0; i < n; i++)
        if (call.opens) all &= settle_opened(list[i], in_pieces[i]);
        else text_done(list[i]);
    return all ? CST_OK : CST_ERR_AUTH;
}

int run_jobs_listed(const KernelCall &call, JobList jobs, size_t n) {
    const Takes takes(call);
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
        if (some) all &= run_some(call, taken, some) == CST_OK;
        if (left) all &= call.parts.block->run(*call.parts.block, JobList(others), left) == CST_OK;
    }
    return all ? CST_OK : CST_ERR_AUTH;
}

int run_job_listed(const KernelCall &call, cst_job *job) {
    if (!Takes(call)(*job)) return call.parts.block->run_one(*call.parts.block, job);
    return run_some(call, &job, 1);
}

}  // namespace

void set_job_list(KernelCall *call) {
    call->run = run_jobs_listed;
    call->run_one = run_job_listed;
}

}  // namespace cst
