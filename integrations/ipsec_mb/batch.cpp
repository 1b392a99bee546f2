#include "batch.hpp"

#include <cstring>
#include <memory>
#include <new>

#include "aead.hpp"
#include "alone.hpp"
#include "check.hpp"
#include "composed.hpp"
#include "apart.hpp"
#include "real.hpp"
#include "executors/copy.hpp"
#include "stats.hpp"
#include "suite/registers.hpp"
#include "suite/secret.hpp"

namespace cst::imb {
namespace {

Work *work_of_thread() {
    static thread_local const std::unique_ptr<Work> work(new (std::nothrow) Work);
    return work.get();
}

void add(Work *work, Item *item) {
    switch (item->plan->kind) {
        case Kind::composed: return add_composed(work, item);
        case Kind::ccm: return add_ccm(work, item);
        case Kind::chacha_poly: return add_chacha_poly(work, item);
        default: return;
    }
}

void put_tag(const Item &item) {
    copy_few(item.job->auth_tag_output, item.tag, size_t(item.job->auth_tag_output_len_in_bytes));
}

// Such a tag may lie in what is enciphered.
bool has_tag_first(const Item &item) {
    return item.plan->kind == Kind::composed && item.plan->cipher && item.plan->mac &&
           number_of(item.job->chain_order) != IMB_ORDER_CIPHER_HASH;
}

void between(Item *item) {
    if (item->failed) return;
    if (item->plan->in_bits) set_last_block(item);
    if (!item->tag_here) return;
    if (has_tag_first(*item)) put_tag(*item);
    if (item->plan->kind == Kind::chacha_poly) between_chacha_poly(item);
}

// Wipes text and tag of a job that failed: a caller that overlooks the status must not find plaintext there, and a tag
// that is right.
void discard(const IMB_JOB &job, const Plan &plan) {
    if (plan.cipher && job.dst) wipe(job.dst, size_t(job.msg_len_to_cipher_in_bytes));
    if (plan.mac && job.auth_tag_output) wipe(job.auth_tag_output, size_t(job.auth_tag_output_len_in_bytes));
}

void finish(Item *item) {
    IMB_JOB &job = *item->job;
    job.status = item->failed ? IMB_STATUS_INTERNAL_ERROR : IMB_STATUS_COMPLETED;
    count_job(job, item->failed ? RanOn::refused : RanOn::cryptostitch);
    if (item->failed) discard(job, *item->plan);
    if (item->failed || !item->tag_here || has_tag_first(*item)) return;
    if (item->plan->kind == Kind::ccm) finish_ccm(item);
    put_tag(*item);
}

void note_done(IMB_JOB *job, bool done) {
    job->status = done ? IMB_STATUS_COMPLETED : IMB_STATUS_INTERNAL_ERROR;
    count_job(*job, done ? RanOn::cryptostitch : RanOn::refused);
}
void run_and_count(IMB_JOB *job, const Plan &plan) { note_done(job, run_alone(*job, plan)); }

// Runs at most MOST_JOBS jobs.
int run_some(Work *work, IMB_JOB *const *jobs, size_t n, bool checked) {
    const ClearRegisters clear(cpu());
    int error = 0;
    IMB_JOB *aparts[MOST_JOBS];  // they make batches themselves
    size_t n_aparts = 0;
    work->begin(n);
    for (size_t i = 0; i < n; i++) {
        IMB_JOB &job = *jobs[i];
        const Plan &plan = plan_of(job);
        if (plan.kind == Kind::real) {
            if (const int wrong = run_on_real(&jobs[i], 1, checked)) error = wrong;
        } else if (const int wrong = check(job, plan, false)) {
            error = wrong;
            refuse(&job);
        } else if (plan.kind == Kind::apart) {
            aparts[n_aparts++] = &job;
        } else if (add_listed(&work->gcm, job, plan)) {
            note_done(&job, true);
        } else if (runs_alone(plan.kind)) {
            run_and_count(&job, plan);
        } else {
            add(work, work->add(&job, &plan));
        }
    }
    count_burst(n);
    work->gcm.run();
    work->run(0);
    for (size_t i = 0; work->any_used() && i < work->size(); i++) between(work->item(i));
    work->run(1);
    for (size_t i = 0; i < work->size(); i++) finish(work->item(i));
    work->end();
    for (size_t i = 0; i < n_aparts; i++)
        if (const int wrong = run_apart(aparts[i], checked)) error = wrong;
    return error;
}

// There is no memory to run it.
void fail(IMB_JOB *job) {
    const Plan &plan = plan_of(*job);
    job->status = IMB_STATUS_INTERNAL_ERROR;
    if (!check_job(*job, plan, false)) discard(*job, plan);
}

}  // namespace

void run_checked(IMB_JOB *job, const Plan &plan) {
    const ClearRegisters clear(cpu());
    run_and_count(job, plan);
    count_burst(1);
}

int run_jobs(IMB_JOB *const *jobs, size_t n, bool checked) {
    int error = 0;
    Work *const work = engine() ? work_of_thread() : nullptr;
    for (size_t i = 0; i < n; i += MOST_JOBS) {
        const size_t some = n - i < MOST_JOBS ? n - i : MOST_JOBS;
        if (work) {
            if (const int wrong = run_some(work, jobs + i, some, checked)) error = wrong;
        } else {
            for (size_t j = 0; j < some; j++) fail(jobs[i + j]);
        }
    }
    return error;
}

}  // namespace cst::imb
