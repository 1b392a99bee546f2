#include "etm_abreast.hpp"

#include <algorithm>
#include <cstring>

#include "abreast.hpp"
#include "direct.hpp"
#include "hash_abreast.hpp"
#include "short_jobs.hpp"

namespace cst {
namespace {

// Bytes of the message of one job, as measured on Zen 4. Of longer ones pair kernels do the middle: where the cipher waits for itself, from fewer on, and beside a hash of
// larger blocks, which takes longer, from more on. Opened, they are longer.
constexpr uint64_t ALONE = 4096, ALONE_CHAINED = 288, ALONE_CHAINED_LARGE = 1280;
uint64_t most_alone(const Suite &suite) { return suite.counts() ? ALONE : suite.hash->record.block_bytes > 64 ? ALONE_CHAINED_LARGE : ALONE_CHAINED; }
// The same of several: of longer ones little time is outside the kernels.
constexpr uint64_t SEVERAL = 16384;

}  // namespace

bool etm_abreast_serves(const Suite &suite, int direction, uint64_t bytes, uint64_t aad_bytes, size_t n, bool one_key) {
    switch (suite.construction) {
        case Construction::etm:
        case Construction::esp: break;
        case Construction::tls:
            if (direction == CST_SEAL) break;
            return false;
        default: return false;
    }
    if (suite.forced || !suite.memo || suite.half_blocks() || suite.block_mac() || suite.iv_bytes != IV_BYTES) return false;
    const uint64_t head = head_bytes(suite, aad_bytes), message = head + bytes;
    if (head > HashAbreast::MOST_HEAD) return false;
    if (n == 1) return message <= (direction == CST_OPEN ? ALONE : most_alone(suite));
    return bytes <= SHORT_BLOCKS || fits_whole(suite, head, bytes) || (message <= SEVERAL && !pairs_are_better(suite, direction, one_key, n, bytes));
}

int run_etm_abreast(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs).suite;
    if (suite.construction == Construction::tls || jobs->n_in_pieces || jobs->n_out_pieces || !jobs->in_len) return CST_OK;
    if (!etm_abreast_serves(suite, jobs->direction, jobs->in_len, jobs->aad_len, n, one_key(jobs, n))) return CST_OK;
    HashAbreast hash(suite, *jobs);
    if (!hash.prepare(n)) return CST_OK;
    if (jobs->direction == CST_SEAL) {
        if (run_texts(jobs, n)) hash.run(jobs, n);
        return CST_OK;
    }
    if (!texts_ready(jobs, n, jobs->in_len)) return CST_OK;
    const bool all = hash.run(jobs, n);
    if (all) {
        run_texts(jobs, n);
        return CST_OK;
    }
    for (size_t i = 0; i < n; i++)
        if (jobs[i].status == JOB_WAITING) run_texts(jobs + i, 1);
    return CST_ERR_AUTH;
}

// Text, MAC and padding are put together in `out`.
void seal_records_abreast(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs).suite;
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = jobs[i];
        if (key_of(job).suite != &suite || job.direction != CST_SEAL || job.in_len != jobs->in_len || job.n_in_pieces || job.n_out_pieces) return;
    }
    if (!etm_abreast_serves(suite, CST_SEAL, jobs->in_len, jobs->aad_len, n, one_key(jobs, n))) return;
    HashAbreast hash(suite, *jobs);
    const size_t bytes = jobs->in_len, used = bytes + suite.hash->record.digest_bytes, all = used / 16 * 16 + 16;
    if (!hash.prepare(n) || !texts_ready(jobs, n, all)) return;
    hash.run(jobs, n);
    constexpr size_t AT_ONCE = HashAbreast::MOST_JOBS;
    for (size_t first = 0; first < n; first += AT_ONCE) {
        const size_t some = std::min(n - first, AT_ONCE);
        cst_job texts[AT_ONCE];
        for (size_t i = 0; i < some; i++) {
            cst_job &text = texts[i] = jobs[first + i];
            uint8_t *const out = static_cast<uint8_t *>(text.out);
            if (text.in != out) memcpy(out, text.in, bytes);
            memset(out + used, int(all - used - 1), all - used);
            text.in = out;
            text.in_len = all;
        }
        if (!run_texts(texts, some)) return;
        for (size_t i = 0; i < some; i++) {
            jobs[first + i].out_len = all;
            jobs[first + i].status = CST_OK;
        }
    }
}

}  // namespace cst
