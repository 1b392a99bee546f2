// The C API: operations. Every job is checked completely before any is begun.

#include <algorithm>

#include "jobs.hpp"
#include "run/abreast.hpp"
#include "run/chacha_abreast.hpp"
#include "run/chacha_alone.hpp"
#include "run/etm_abreast.hpp"
#include "run/gcm_burst.hpp"
#include "run/gcm_few.hpp"
#include "run/groups.hpp"
#include "run/hash_abreast.hpp"
#include "suite/registers.hpp"

using namespace cst;

namespace {

bool none_waits(const cst_job *jobs, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (jobs[i].status == JOB_WAITING) return false;
    return true;
}

// The functions below are not inline: the shortest messages had better not pay for their frames.

constexpr int OTHERS = 1;  // no error code

// Runs texts for which there is a short way. Returns what the call returns, or OTHERS: it is not for these, and nothing has happened.
__attribute__((noinline)) int run_surely_alike(const Engine *engine, cst_job *jobs, size_t n) {
    if (!surely_alike(*engine, jobs, n, ABREAST_TEXT)) return OTHERS;
    const ClearRegisters clear(engine->cpu());
    return guarded([&]() -> int { return run_texts(jobs, n) ? CST_OK : OTHERS; });
}

// Several, or one for which there is no shorter way. They are checked; alike: as check_jobs says.
__attribute__((noinline)) int run_checked(const Engine *engine, cst_job *jobs, size_t n, bool alike) {
    return guarded([&]() -> int {
        const Suite &first = *from(jobs->key)->suite;
        int result = CST_OK;
        if (n == 1 && first.construction == Construction::chacha_poly) {
            if (chacha_alone_takes(*jobs)) result = run_chacha_alone(jobs);
        } else {
            result = run_hash_abreast(jobs, n);
        }
        if (jobs->status != JOB_WAITING) return result;
        if (alike || groups_serve(*jobs)) {
            result = alike ? run_etm_abreast(jobs, n) : run_groups(jobs, n);
            if (none_waits(jobs, n)) return result;
        }
        if (first.construction == Construction::tls) {
            seal_records_abreast(jobs, n);
            if (none_waits(jobs, n)) return result;
        } else if (first.construction == Construction::gcm) {
            if (!run_gcm_burst(first, jobs->direction, jobs, n)) result = CST_ERR_AUTH;
            if (none_waits(jobs, n)) return result;
        } else if (chacha_abreast_takes(jobs, n)) {
            result = std::min(result, chacha_abreast(jobs, n));
            if (none_waits(jobs, n)) return result;
        }
        if (run_abreast(jobs, n)) return result;
        Arena arena;
        if (int short_of_memory = arena.allocate(*engine, n)) return short_of_memory;
        return std::min(result, run_burst(&arena, jobs, n));
    });
}

__attribute__((noinline)) int check_and_run(const Engine *engine, cst_job *jobs, size_t n) {
    bool alike = true;  // as one job is, which may be in pieces
    if (int error = n == 1 ? check_one(*engine, jobs) : check_jobs(*engine, jobs, n, &alike)) return error;
    const ClearRegisters clear(engine->cpu());
    if (alike && gcm_all_few(jobs, n)) return run_gcm_few(jobs, n) ? CST_OK : CST_ERR_AUTH;
    return run_checked(engine, jobs, n, alike);
}

}  // namespace

int cst::burst(const Engine *engine, cst_job *jobs, size_t n) {
    const int result = may_be_alike(*jobs) ? run_surely_alike(engine, jobs, n) : OTHERS;
    return result != OTHERS ? result : check_and_run(engine, jobs, n);
}

namespace {

int one(cst_job *job, size_t *out_len) {
    if (!job->key) return CST_ERR_ARGUMENT;
    job->size = sizeof(*job);
    const int error = burst(from(job->key)->suite->engine, job, 1);
    if (out_len && (error == CST_OK || error == CST_ERR_AUTH)) *out_len = job->out_len;
    return error;
}

}  // namespace

int cst_burst(cst_ctx *ctx, cst_job *jobs, size_t n) {
    if (!ctx || (n && !jobs)) return CST_ERR_ARGUMENT;
    return n ? burst(&ctx->engine, jobs, n) : CST_OK;
}

int cst_seal(const cst_key *key, const void *iv, size_t iv_len, const void *aad, size_t aad_len, const void *in, size_t in_len, void *out,
             size_t out_cap, size_t *out_len, void *tag, size_t tag_len) {
    cst_job job = {0, key, CST_SEAL, 0, iv, iv_len, aad, aad_len, in, in_len, out, out_cap, 0, tag, tag_len, nullptr, 0, nullptr, 0};
    return one(&job, out_len);
}

int cst_open(const cst_key *key, const void *iv, size_t iv_len, const void *aad, size_t aad_len, const void *in, size_t in_len, void *out,
             size_t out_cap, size_t *out_len, const void *tag, size_t tag_len) {
    cst_job job = {0, key, CST_OPEN, 0, iv, iv_len, aad, aad_len, in, in_len, out, out_cap, 0, const_cast<void *>(tag), tag_len, nullptr, 0, nullptr, 0};
    return one(&job, out_len);
}

int cst_digest(const cst_key *key, const void *in, size_t in_len, void *tag, size_t tag_len) {
    if (key && from(key)->suite->enciphers()) return CST_ERR_ARGUMENT;
    cst_job job = {0, key, CST_SEAL, 0, nullptr, 0, nullptr, 0, in, in_len, nullptr, 0, 0, tag, tag_len, nullptr, 0, nullptr, 0};
    return one(&job, nullptr);
}
