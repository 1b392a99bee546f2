#include "without_kernel.hpp"

#include <algorithm>

#include "../select/upper_halves.hpp"
#include "../suite/aes_narrow.hpp"
#include "../suite/aes_wide.hpp"
#include "../suite/gcm_narrow.hpp"
#include "../suite/secret.hpp"
#include "text.hpp"

namespace cst {
namespace {

constexpr uint64_t MOST_TEXT = 32767;  // of longer texts a kernel is as fast

bool serves_cipher(const Suite &suite, const cst_job &job) {
    if (suite.kind != CST_CIPHER || job.in_len - 1 >= MOST_TEXT) return false;
    if (suite.construction != Construction::counter && suite.construction != Construction::single) return false;
    const uint32_t kind = suite.encrypt->record.kind;
    return suite.counts() || kind == ALGORITHM_ECB_ENC || (kind == ALGORITHM_CIPHER_ENC && job.direction == CST_OPEN);
}

void run_cipher(const Suite &suite, cst_job *jobs, size_t n) {
    const bool counts = suite.counts(), ecb = suite.encrypt->record.kind == ALGORITHM_ECB_ENC;
    if (suite.wide) return (counts ? aes_counter_wide : ecb ? aes_ecb_wide : aes_cbc_open_wide)(jobs, n);
    (counts ? aes_counter_narrow : ecb ? aes_ecb_narrow : aes_cbc_open_narrow)(jobs, n, suite.double_blocks);
}

bool serves_gcm(const Suite &suite, const cst_job &job, bool alone) {
    const bool overwrites = job.direction == CST_OPEN && job.in == job.out;
    return suite.construction == Construction::gcm && job.iv_len == GCM_IV &&
           std::max(job.in_len, job.aad_len) < suite.gcm_few_below[alone || overwrites];
}

int run_gcm(const Suite &suite, cst_job *jobs, size_t n) {
    if (suite.wide ? gcm_wide(jobs, n) : gcm_narrow(jobs, n, suite.double_blocks)) return CST_OK;
    for (cst_job *job = jobs; job < jobs + n; job++) {
        if (job->status == CST_OK) continue;
        if (job->out) wipe(job->out, job->in_len);
        job->out_len = 0;
        job->status = CST_ERR_AUTH;
    }
    return CST_ERR_AUTH;
}

}  // namespace

int run_without_kernel(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs).suite;
    if (!(suite.wide || suite.narrow) || suite.forced || (jobs->n_in_pieces | jobs->n_out_pieces) || !suite.encrypt)
        return JOB_WAITING;
    const bool cipher = serves_cipher(suite, *jobs);
    if (!cipher && !serves_gcm(suite, *jobs, n == 1)) return JOB_WAITING;
    if (cipher && suite.counts())
        for (size_t i = 0; i < n; i++)
            if (counter_carries(suite, static_cast<const uint8_t *>(jobs[i].iv), jobs[i].in_len)) return JOB_WAITING;
    if (!suite.wide && suite.engine->avx()) clear_upper_halves();
    if (!cipher) return run_gcm(suite, jobs, n);
    run_cipher(suite, jobs, n);
    return CST_OK;
}

}  // namespace cst
