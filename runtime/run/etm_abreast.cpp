#include "etm_abreast.hpp"

#include <algorithm>
#include <cstring>

#include "abreast.hpp"
#include "direct.hpp"
#include "etm_stitched.hpp"
#include "hash_abreast.hpp"
#include "short_jobs.hpp"

namespace cst {
namespace {

// Bytes of one message, head and text, up to which hash and cipher one after the other, on a kernel each, are best; as measured on Zen 4. Where the cipher waits for itself,
// of fewer bytes; beside a hash of larger blocks, which takes longer, of more.
constexpr uint64_t ALONE = 4096, ALONE_CHAINED = 288, ALONE_CHAINED_LARGE = 1280;
// There a stitched middle is better for texts from so many bytes on, if there is a kernel for it.
constexpr uint64_t STITCHED = 192, STITCHED_LARGE = 960;
bool large_blocks(const Suite &suite) { return suite.hash->record.block_bytes > 64; }
uint64_t most_alone(const Suite &suite) { return suite.counts() ? ALONE : large_blocks(suite) ? ALONE_CHAINED_LARGE : ALONE_CHAINED; }
// The same of several messages: of longer ones little time is outside the kernels.
constexpr uint64_t SEVERAL = 16384;

// Puts a record's text from the byte `from` on, and its padding, around the MAC, which stands in `out` already. Returns how many bytes that makes in all.
size_t lay_out_record(const Suite &suite, const cst_job &job, size_t from) {
    const size_t bytes = job.in_len, used = bytes + suite.hash->record.digest_bytes, all = suite.record_bytes(bytes);
    uint8_t *const out = static_cast<uint8_t *>(job.out);
    if (job.in != out) memcpy(out + from, static_cast<const uint8_t *>(job.in) + from, bytes - from);
    memset(out + used, int(all - used - 1), all - used);
    return all;
}

// Whether messages with a head of so many bytes may go this way.
bool serves(const Suite &suite, int direction, uint64_t head) {
    switch (suite.construction) {
        case Construction::etm:
        case Construction::esp: break;
        case Construction::tls:
            if (direction == CST_SEAL) break;
            return false;
        default: return false;
    }
    return !suite.forced && suite.memo && !suite.half_blocks() && !suite.block_mac() && suite.iv_bytes == IV_BYTES && head <= HashAbreast::MOST_HEAD;
}

// Whether one message may have a stitched middle.
bool may_stitch(const Suite &suite, int direction, uint64_t bytes, uint64_t aad_bytes) {
    if (direction != CST_SEAL || bytes < STITCHED || suite.counts() || !serves(suite, direction, head_bytes(suite, aad_bytes))) return false;
    return bytes >= STITCHED_LARGE || !large_blocks(suite);
}

// Seals it so. False: that does not pay, and nothing has happened.
bool seal_stitched(cst_job *job) {
    const Suite &suite = *key_of(*job).suite;
    if (!may_stitch(suite, job->direction, job->in_len, job->aad_len)) return false;
    HashAbreast hash(suite, *job, true);
    if (!hash.prepare(1) || !hash.lends_chain()) return false;
    EtmStitched middle(*job, hash.joined());
    if (!middle.begin()) return false;
    hash.run(job, &middle);
    job->out_len = job->in_len;
    if (suite.construction == Construction::tls) {
        uint8_t *const out = static_cast<uint8_t *>(job->out);
        job->out_len = lay_out_record(suite, *job, size_t(middle.enciphered()));
        middle.encipher(out, out, job->out_len);
    }
    job->status = CST_OK;
    return true;
}

}  // namespace

const Variant *etm_stitched(const Suite &suite, int direction, uint64_t bytes, uint64_t aad_bytes) {
    if (!may_stitch(suite, direction, bytes, aad_bytes)) return nullptr;
    return EtmStitched::choose(suite, bytes, -head_bytes(suite, aad_bytes) & (suite.hash->record.block_bytes - 1), false);
}

bool etm_abreast_serves(const Suite &suite, int direction, uint64_t bytes, uint64_t aad_bytes, size_t n, bool one_key) {
    const uint64_t head = head_bytes(suite, aad_bytes), message = head + bytes;
    if (!serves(suite, direction, head)) return false;
    if (n == 1) return message <= (direction == CST_OPEN ? ALONE : most_alone(suite));
    return bytes <= SHORT_BLOCKS || fits_whole(suite, head, bytes) || (message <= SEVERAL && !pairs_are_better(suite, direction, one_key, n, bytes));
}

int run_etm_abreast(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(*jobs).suite;
    if (suite.construction == Construction::tls || jobs->n_in_pieces || jobs->n_out_pieces || !jobs->in_len) return CST_OK;
    if (n == 1 && seal_stitched(jobs)) return CST_OK;
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
    if (n == 1 && seal_stitched(jobs)) return;
    if (!etm_abreast_serves(suite, CST_SEAL, jobs->in_len, jobs->aad_len, n, one_key(jobs, n))) return;
    HashAbreast hash(suite, *jobs);
    const size_t all = suite.record_bytes(jobs->in_len);
    if (!hash.prepare(n) || !texts_ready(jobs, n, all)) return;
    hash.run(jobs, n);
    constexpr size_t AT_ONCE = HashAbreast::MOST_JOBS;
    for (size_t first = 0; first < n; first += AT_ONCE) {
        const size_t some = std::min(n - first, AT_ONCE);
        cst_job texts[AT_ONCE];
        for (size_t i = 0; i < some; i++) {
            cst_job &text = texts[i] = jobs[first + i];
            text.in_len = lay_out_record(suite, text, 0);
            text.in = text.out;
        }
        if (!run_texts(texts, some)) return;
        for (size_t i = 0; i < some; i++) {
            jobs[first + i].out_len = all;
            jobs[first + i].status = CST_OK;
        }
    }
}

}  // namespace cst
