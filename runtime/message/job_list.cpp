#include "job_list.hpp"

#include <algorithm>

#include "../executors/copy.hpp"
#include "../executors/message.hpp"
#include "../select/upper_halves.hpp"
#include "../suite/padding.hpp"
#include "../suite/secret.hpp"
#include "hash_end.hpp"
#include "whole_texts.hpp"

namespace cst {
namespace {

constexpr size_t MOST_LISTED = 64;  // jobs of a list

// Where the AAD of a job without one lies while a kernel runs it: there must be memory.
const void *no_aad(const cst_job &job) { return reinterpret_cast<const uint8_t *>(job.key) + KeyLayout::ENCRYPT; }

// The tag that an opening kernel has left in the job, in place of its pieces, of which there are none.
uint8_t *tag_made(cst_job *job) { return reinterpret_cast<uint8_t *>(&job->in_pieces); }

// Compares this tag, and restores the pointer of the pieces. Returns false on a mismatch.
bool settle_opened(cst_job *job, const cst_piece *in_pieces) {
    uint8_t *const made = tag_made(job);
    const uint8_t *const tag = static_cast<const uint8_t *>(job->tag);
    const bool right =
        job->tag_len == LISTED_TAG ? same_bytes(made, tag, LISTED_TAG) : same_bytes(made, tag, job->tag_len);
    wipe(made, LISTED_TAG);
    job->in_pieces = in_pieces;
    if (right) text_done(job);
    else refuse_unopened(job);
    return right;
}

[[gnu::always_inline]] inline void call_kernel(const KernelCall &call, cst_job *const *list, size_t n) {
    cst_kernel_args args;
    args.iterations = n;
    args.state[0] = const_cast<cst_job **>(list);
    if (call.clears_upper) clear_upper_halves();
    call.fn(&args);
    call.variant->calls.add(n);
}

int run_some(const KernelCall &call, cst_job *const *list, size_t n) {
    const cst_piece *in_pieces[MOST_LISTED];
    const bool verifies = call.opens && call.variant->jobs.tag;
    for (size_t i = 0; verifies && i < n; i++) in_pieces[i] = list[i]->in_pieces;
    call_kernel(call, list, n);
    bool all = true;
    for (size_t i = 0; i < n; i++)
        if (verifies) all &= settle_opened(list[i], in_pieces[i]);
        else text_done(list[i]);
    return all ? CST_OK : CST_ERR_AUTH;
}

// Runs jobs that have no AAD, or are sealed with a tag shorter than the kernel's: for the call AADs lie elsewhere, and
// tags are made elsewhere.
__attribute__((noinline)) int run_changed(const KernelCall &call, cst_job *const *list, size_t n) {
    const void *aads[MOST_LISTED];
    void *tags[MOST_LISTED];
    alignas(16) uint8_t made[MOST_LISTED][LISTED_TAG];
    for (size_t i = 0; i < n; i++) {
        cst_job &job = *list[i];
        aads[i] = job.aad;
        if (!job.aad_len) job.aad = no_aad(job);
        tags[i] = job.tag;
        if (!call.opens) job.tag = made[i];
    }
    const int result = run_some(call, list, n);
    for (size_t i = 0; i < n; i++) {
        cst_job &job = *list[i];
        job.aad = aads[i];
        job.tag = tags[i];
        if (!call.opens) copy_few(static_cast<uint8_t *>(job.tag), made[i], job.tag_len);
    }
    if (!call.opens) wipe_rows(made, n);
    return result;
}

// Whether the job is one of those.
bool is_changed(const KernelCall &call, const cst_job &job) {
    return call.variant->jobs.tag && ((job.aad_len == 0) | ((job.tag_len != LISTED_TAG) & !call.opens));
}

int run_jobs_listed(const KernelCall &call, JobList jobs, size_t n) {
    const ListTakes takes(call, *jobs[0]);
    const auto run_list = is_changed(call, *jobs[0]) ? run_changed : run_some;
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
        if (some) all &= run_list(call, taken, some) == CST_OK;
        if (left) all &= call.parts.block->run(*call.parts.block, JobList(others), left) == CST_OK;
    }
    return all ? CST_OK : CST_ERR_AUTH;
}

int run_job_listed(const KernelCall &call, cst_job *job) {
    const bool counts = call.variant->jobs.tag || TextCalls::takes(*key_of(*job).suite, *job);
    if (!counts || !ListTakes(call, *job)(*job)) return call.parts.block->run_one(*call.parts.block, job);
    if (is_changed(call, *job)) return run_changed(call, &job, 1);
    const cst_piece *const in_pieces = job->in_pieces;
    call_kernel(call, &job, 1);
    if (call.opens && call.variant->jobs.tag) return settle_opened(job, in_pieces) ? CST_OK : CST_ERR_AUTH;
    text_done(job);
    return CST_OK;
}

// Sets the results of a job whose digest the kernel has written.
void digest_done(cst_job *job) {
    job->out_len = 0;
    job->status = CST_OK;
}

// Whether the kernel writes the job's digest to its place: else the job wants a part of it, or it is compared.
bool writes_digest(const KernelCall &call, const cst_job &job) {
    return !call.opens && job.tag_len == call.variant->jobs.tag;
}

// Runs a job: for the call its message is padded elsewhere, and a digest of which it wants a part, or that is compared,
// is made elsewhere. There is a call for each such job: while the rounds of one wait for one another, the next is
// padded.
bool run_digest_changed(const KernelCall &call, cst_job *job) {
    const AlgorithmRecord &hash = call.variant->hash.algorithm->record;
    const ListedJobs &listed = call.variant->jobs;
    alignas(16) uint8_t padded[MOST_PADDED], made[DIGEST_ROOM];
    const void *const text = job->in;
    void *const tag = job->tag;
    const bool writes = writes_digest(call, *job);
    if (call.place.padded) {
        const size_t before = listed.key_bytes ? hash.block_bytes : 0;  // HMAC's, of its key
        hash_end_exactly(hash, padded, static_cast<const uint8_t *>(text), job->in_len, before + job->in_len);
        job->in = padded;
    }
    if (!writes) job->tag = made;
    call_kernel(call, &job, 1);
    job->in = text;
    job->tag = tag;
    if (call.place.padded) wipe_rows(padded, call.step);
    if (writes) {
        digest_done(job);
        return true;
    }
    const bool right = settle_digest(job, made);
    wipe(made, DIGEST_ROOM);
    return right;
}

// Whether for the call something of the job is elsewhere.
bool is_digest_changed(const KernelCall &call, const cst_job &job) {
    return call.place.padded || !writes_digest(call, job);
}

// Runs jobs of one length. One call is remembered for a range of lengths, of which some may need a block less than the
// kernel has: these jobs go to the kernel of fewer blocks.
int run_digests_listed(const KernelCall &call, JobList jobs, size_t n) {
    const KernelCall *const others = call.parts.block;
    if (!call.variant->takes_message(jobs[0]->in_len)) return others ? others->run(*others, jobs, n) : JOB_WAITING;
    bool all = true;
    cst_job *list[MOST_LISTED];
    size_t listed = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_digest_changed(call, *jobs[i])) all &= run_digest_changed(call, jobs[i]);
        else list[listed++] = jobs[i];
        if (listed != MOST_LISTED && (i + 1 < n || !listed)) continue;
        call_kernel(call, list, listed);
        for (; listed; listed--) digest_done(list[listed - 1]);
    }
    return all ? CST_OK : CST_ERR_AUTH;
}

int run_digest_listed(const KernelCall &call, cst_job *job) {
    const KernelCall *const others = call.parts.block;
    if (!call.variant->takes_message(job->in_len)) return others ? others->run_one(*others, job) : JOB_WAITING;
    if (is_digest_changed(call, *job)) return run_digest_changed(call, job) ? CST_OK : CST_ERR_AUTH;
    call_kernel(call, &job, 1);
    digest_done(job);
    return CST_OK;
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

void make_tags(const KernelCall &call, cst_job *const *jobs, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!jobs[i]->aad_len) jobs[i]->aad = no_aad(*jobs[i]);
    call_kernel(call, jobs, n);
    for (size_t i = 0; call.opens && i < n; i++) {
        uint8_t *const made = tag_made(jobs[i]);
        memcpy(jobs[i]->tag, made, LISTED_TAG);
        wipe_rows(made, LISTED_TAG);
    }
}

}  // namespace cst
