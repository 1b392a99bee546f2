#include "job_list.hpp"

#include <algorithm>

#include "../executors/copy.hpp"
#include "../executors/message.hpp"
#include "../select/upper_halves.hpp"
#include "../suite/padding.hpp"
#include "../suite/secret.hpp"
#include "hash_end.hpp"

namespace cst {
namespace {

constexpr size_t MOST_LISTED = 64;  // jobs of a list

uintptr_t address(const void *p) { return reinterpret_cast<uintptr_t>(p); }

void run_list(const KernelCall &call, cst_job *const *list, size_t n) {
    cst_kernel_args args;
    args.iterations = n;
    args.state[0] = const_cast<cst_job **>(list);
    if (call.clears_upper) clear_upper_halves();
    call.fn(&args);
    call.variant->calls.add(n);
}

// Whether the kernel takes the job: a masked access that reaches into a page which is not there, or was never touched,
// takes hundreds of cycles, though none of that page's bytes is accessed.
class Takes {
public:
    explicit Takes(const KernelCall &call) : end_(call.place.head + call.step) {}
    [[gnu::always_inline]] bool operator()(const cst_job &job) const {
        const uintptr_t text = job.in_len - 1;
        const uintptr_t leaves = in_two_pages(address(job.in), text, end_ - 1) |
                                 in_two_pages(address(job.out), text, end_ - 1) |
                                 in_two_pages(address(job.aad), job.aad_len - 1, MESSAGE_AAD - 1);
        return takes_list(job) & (leaves < PAGE);
    }

private:
    static constexpr uintptr_t PAGE = 4096;
    static uintptr_t in_two_pages(uintptr_t from, uintptr_t a, uintptr_t b) { return (from + a) ^ (from + b); }
    const uintptr_t end_;
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
    const cst_piece *in_pieces[MOST_LISTED];
    for (size_t i = 0; call.opens && i < n; i++) in_pieces[i] = list[i]->in_pieces;
    run_list(call, list, n);
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

void settle_digest(cst_job *job) {
    job->out_len = 0;
    job->status = CST_OK;
}

// Whether the kernel writes the job's digest to its place: else the job wants a part of it, or it is compared.
bool writes_digest(const KernelCall &call, const cst_job &job) {
    return !call.opens && job.tag_len == call.variant->hash.algorithm->record.digest_bytes;
}

// Runs at most MOST jobs, of which the kernel gets others instead, with a padded message or another place for the
// digest.
template <size_t MOST>
__attribute__((noinline)) bool run_digests_apart(const KernelCall &call, cst_job *const *jobs, size_t n) {
    const AlgorithmRecord &hash = call.variant->hash.algorithm->record;
    const size_t before = call.place.key == NO_FIELD ? 0 : hash.block_bytes;  // HMAC's, of its key
    struct {
        cst_job job;
        alignas(16) uint8_t padded[MOST_PADDED];
        uint8_t made[DIGEST_ROOM];
    } apart[MOST];
    cst_job *list[MOST] = {};
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs[i];
        cst_job &its = *(list[i] = &apart[i].job);
        its.key = job.key;
        its.in = job.in;
        its.tag = writes_digest(call, job) ? job.tag : apart[i].made;
        if (!call.place.padded) continue;
        its.in = apart[i].padded;
        hash_end_exactly(hash, apart[i].padded, static_cast<const uint8_t *>(job.in), job.in_len, before + job.in_len);
    }
    run_list(call, list, n);
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        cst_job &job = *jobs[i];
        if (call.place.padded) wipe_rows(apart[i].padded, call.step);
        settle_digest(&job);
        if (writes_digest(call, job)) continue;
        uint8_t *const made = apart[i].made;
        if (!call.opens) {
            copy_few(static_cast<uint8_t *>(job.tag), made, job.tag_len);
        } else if (!same_bytes(made, static_cast<const uint8_t *>(job.tag), job.tag_len)) {
            refuse_unopened(&job);
            all = false;
        }
        wipe(made, DIGEST_ROOM);
    }
    return all;
}

// Jobs of one length run on the kernel of fewer blocks, if this one does not take it: both have a range of lengths.
int run_digests_listed(const KernelCall &call, JobList jobs, size_t n) {
    const KernelCall *const others = call.parts.block;
    if (!call.variant->takes_message(jobs[0]->in_len)) return others ? others->run(*others, jobs, n) : JOB_WAITING;
    constexpr size_t MOST_APART = 16;
    bool all = true;
    cst_job *listed[MOST_LISTED], *apart[MOST_APART];
    size_t n_listed = 0, n_apart = 0;
    for (size_t i = 0; i < n; i++) {
        if (!call.place.padded && writes_digest(call, *jobs[i])) listed[n_listed++] = jobs[i];
        else apart[n_apart++] = jobs[i];
        const bool last = i + 1 == n;
        if (n_listed == MOST_LISTED || (last && n_listed)) {
            run_list(call, listed, n_listed);
            for (; n_listed; n_listed--) settle_digest(listed[n_listed - 1]);
        }
        if (n_apart == MOST_APART || (last && n_apart)) {
            all &= run_digests_apart<MOST_APART>(call, apart, n_apart);
            n_apart = 0;
        }
    }
    return all ? CST_OK : CST_ERR_AUTH;
}

int run_digest_listed(const KernelCall &call, cst_job *job) {
    const KernelCall *const others = call.parts.block;
    if (!call.variant->takes_message(job->in_len)) return others ? others->run_one(*others, job) : JOB_WAITING;
    if (call.place.padded || !writes_digest(call, *job))
        return run_digests_apart<1>(call, &job, 1) ? CST_OK : CST_ERR_AUTH;
    run_list(call, &job, 1);
    return settle_digest(job), CST_OK;
}

}  // namespace

KernelCall lay_down_list(const Engine &engine, const Variant &v, bool opens, const KernelCall *others) {
    KernelCall call = {};
    call.fn = v.kernel.load(std::memory_order_acquire)->fn;
    call.variant = &v;
    call.step = v.step;
    call.opens = opens;
    call.clears_upper = v.legacy_sse && engine.avx();
    call.place = v.message;
    call.parts.block = others;
    call.run = v.hash.algorithm ? run_digests_listed : run_jobs_listed;
    call.run_one = v.hash.algorithm ? run_digest_listed : run_job_listed;
    return call;
}

}  // namespace cst
