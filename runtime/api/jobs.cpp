// The C API: operations. Every job is checked completely before any is begun.

#include <algorithm>

#include "arguments.hpp"
#include "jobs.hpp"
#include "../executors/message.hpp"
#include "../message/constructions.hpp"
#include "../run/run.hpp"
#include "../suite/registers.hpp"

using namespace cst;

int cst::run_checked(Memory *memory, cst_job *jobs, size_t n) {
    bool forged = false;
    for (cst_job *job = jobs; job < jobs + n; job++) {
        if (job->status != CST_ERR_AUTH) continue;
        refuse_unopened(job);
        forged = true;
    }
    const int status = run_jobs(memory, jobs, n);
    return forged ? CST_ERR_AUTH : status;
}

namespace {

// wrong: CST_OK, or CST_ERR_AUTH.
__attribute__((noinline)) int run(const Engine &engine, cst_job *jobs, size_t n, Likeness likeness, int wrong) {
    if (!wrong) return run_jobs(engine, jobs, n, likeness);
    Memory memory;
    const int short_of_memory = memory.allocate(engine, n);
    if (!short_of_memory) return run_checked(&memory, jobs, n);
    for (cst_job *job = jobs; job < jobs + n; job++)
        if (job->status == CST_ERR_AUTH) job->status = JOB_WAITING;
    return short_of_memory;
}

int run_one(const Engine &engine, cst_job *job) {
    const int wrong = check_one(engine, job);
    if (wrong && wrong != CST_ERR_AUTH) return wrong;
    const ClearRegisters clear(engine.cpu());
    return guarded([&]() -> int {
        if (wrong) return run(engine, job, 1, Likeness::shape, wrong);
        const int result = run_known(job);
        return result == JOB_WAITING ? run_jobs(engine, job, 1, Likeness::shape) : result;
    });
}

int one(cst_job *job, size_t *out_len) {
    if (!job->key || address(out_len) % alignof(size_t)) return CST_ERR_ARGUMENT;
    job->size = sizeof(*job);
    const int error = run_one(*from(job->key)->suite->engine, job);
    if (out_len && (error == CST_OK || error == CST_ERR_AUTH)) *out_len = job->out_len;
    return error;
}

__attribute__((noinline)) int run_several(const Engine &engine, cst_job *jobs, size_t n) {
    Likeness likeness = Likeness::none;
    const int wrong = check_jobs(engine, jobs, n, &likeness);
    if (wrong && wrong != CST_ERR_AUTH) return wrong;
    const ClearRegisters clear(engine.cpu());
    return guarded([&]() -> int { return run(engine, jobs, n, likeness, wrong); });
}

}  // namespace

int cst::burst(const Engine *engine, cst_job *jobs, size_t n) {
    return n == 1 ? run_one(*engine, jobs) : run_several(*engine, jobs, n);
}

int cst_burst(cst_ctx *ctx, cst_job *jobs, size_t n) {
    if (!ctx) return CST_ERR_ARGUMENT;
    if (int error = check_arguments(CST_OK, {Argument::outputs(jobs, n)})) return error;
    return n ? burst(&ctx->engine, jobs, n) : CST_OK;
}

int cst_seal(const cst_key *key, const void *iv, size_t iv_len, const void *aad, size_t aad_len, const void *in,
             size_t in_len, void *out, size_t out_cap, size_t *out_len, void *tag, size_t tag_len) {
    cst_job job = {0,   key,     CST_SEAL, 0,   iv,      iv_len,  aad, aad_len, in, in_len,
                   out, out_cap, 0,        tag, tag_len, nullptr, 0,   nullptr, 0};
    return one(&job, out_len);
}

int cst_open(const cst_key *key, const void *iv, size_t iv_len, const void *aad, size_t aad_len, const void *in,
             size_t in_len, void *out, size_t out_cap, size_t *out_len, const void *tag, size_t tag_len) {
    cst_job job = {0,       key,     CST_OPEN, 0,       iv,      iv_len, aad,
                   aad_len, in,      in_len,   out,     out_cap, 0,      const_cast<void *>(tag),
                   tag_len, nullptr, 0,        nullptr, 0};
    return one(&job, out_len);
}

int cst_digest(const cst_key *key, const void *in, size_t in_len, void *tag, size_t tag_len) {
    if (key && from(key)->suite->enciphers()) return CST_ERR_ARGUMENT;
    cst_job job = {0,       key, CST_SEAL, 0,   nullptr, 0,       nullptr, 0,       in, in_len,
                   nullptr, 0,   0,        tag, tag_len, nullptr, 0,       nullptr, 0};
    return one(&job, nullptr);
}
