#include "etm_abreast.hpp"

#include "abreast.hpp"
#include "direct.hpp"
#include "hash_abreast.hpp"
#include "short_jobs.hpp"

namespace cst {
namespace {

// Bytes of the message of one job. Of longer ones pair kernels do the middle: where a cipher waits for itself, from fewer on. Opened, they are longer. As measured on Zen 4.
constexpr uint64_t ALONE = 512, ALONE_CHAINED = 192, ALONE_OPENED = 4096, ALONE_OPENED_COUNTED = 2048;

// The same of several: of longer ones little time is outside the kernels.
constexpr uint64_t SEVERAL = 16384;

bool takes(const Suite &suite, const cst_job *jobs, size_t n) {
    const cst_job &job = *jobs;
    if (suite.construction != Construction::etm && suite.construction != Construction::esp) return false;
    if (suite.forced || !suite.memo || suite.half_blocks() || suite.block_mac() || suite.iv_bytes != IV_BYTES) return false;
    if (!job.in_len || job.n_in_pieces || job.n_out_pieces) return false;
    const uint64_t head = head_bytes(suite, job.aad_len), bytes = head + job.in_len;
    if (head > HashAbreast::MOST_HEAD) return false;
    if (n > 1) return job.in_len <= SHORT_BLOCKS || fits_whole(suite, head, job.in_len) || (bytes <= SEVERAL && !pairs_are_better(suite, job.direction, one_key(jobs, n), n, job.in_len));
    if (job.direction == CST_OPEN) return bytes <= (suite.counts() ? ALONE_OPENED_COUNTED : ALONE_OPENED);
    return bytes <= (suite.counts() ? ALONE : ALONE_CHAINED);
}

}  // namespace

int run_etm_abreast(cst_job *jobs, size_t n) {
    const Suite &suite = *reinterpret_cast<const Key *>(jobs->key)->suite;
    if (!takes(suite, jobs, n)) return CST_OK;
    HashAbreast hash(suite, *jobs);
    if (!hash.prepare(n)) return CST_OK;
    if (jobs->direction == CST_SEAL) {
        if (run_texts(jobs, n)) hash.run(jobs, n);
        return CST_OK;
    }
    const bool all = hash.run(jobs, n);
    if (all) {
        run_texts(jobs, n);
        return CST_OK;
    }
    for (size_t i = 0; i < n; i++)
        if (jobs[i].status == JOB_WAITING) run_texts(jobs + i, 1);
    return CST_ERR_AUTH;
}

}  // namespace cst
