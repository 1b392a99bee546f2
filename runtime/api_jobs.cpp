// The C API: operations. Every job is checked completely before any is begun.

#include "jobs.hpp"
#include "run/burst.hpp"
#include "suite/registers.hpp"

using namespace cst;

namespace {

// A hash counts 2^61 - 1 bytes. Nothing that is added to a length that passed this check can overflow.
constexpr uint64_t kMostBytes = (uint64_t(1) << 61) - 1;

struct Range {
    uintptr_t first;
    size_t size;

    Range(const void *p, size_t n) : first(reinterpret_cast<uintptr_t>(p)), size(n) {}
    bool wraps() const { return size && first + (size - 1) < first; }
    bool meets(const Range &other) const {
        return size && other.size && first <= other.first + (other.size - 1) && other.first <= first + (size - 1);
    }
};

// What the job writes to `out`.
size_t output_bytes(const Suite &suite, const cst_job &job) {
    if (!suite.enciphers()) return 0;
    return job.direction == CST_SEAL && suite.profile ? job.in_len / 16 * 16 + 16 : job.in_len;
}

int check_lengths(const Suite &suite, const cst_job &job) {
    if (job.iv_len != suite.iv_bytes || job.tag_len < suite.tag_min || job.tag_len > suite.tag_max) return CST_ERR_LENGTH;
    if (job.aad_len && suite.kind != CST_AEAD) return CST_ERR_LENGTH;
    if (job.in_len > suite.max_bytes || job.aad_len > kMostBytes) return CST_ERR_LENGTH;
    // 512: more than the IV, the key's block, the trailer and the padding together
    if (suite.kind == CST_AEAD && uint64_t(job.in_len) + job.aad_len > kMostBytes - 512) return CST_ERR_LENGTH;
    if (suite.profile && job.direction == CST_OPEN) return job.in_len && job.in_len % 16 == 0 ? CST_OK : CST_ERR_LENGTH;
    return job.in_len % suite.block_bytes ? CST_ERR_LENGTH : CST_OK;
}

int check_buffers(const Suite &suite, const cst_job &job) {
    if ((job.iv_len && !job.iv) || (job.aad_len && !job.aad) || (job.in_len && !job.in) || (job.tag_len && !job.tag)) return CST_ERR_ARGUMENT;
    const size_t written = output_bytes(suite, job);
    if (suite.enciphers()) {
        if (job.out_cap < written) return CST_ERR_LENGTH;
        if (written && !job.out) return CST_ERR_ARGUMENT;
    } else if (job.out || job.out_cap) {
        return CST_ERR_ARGUMENT;
    }
    const Range in(job.in, job.in_len), out(job.out, written), tag(job.tag, job.tag_len), iv(job.iv, job.iv_len), aad(job.aad, job.aad_len);
    if (in.wraps() || out.wraps() || tag.wraps() || iv.wraps() || aad.wraps()) return CST_ERR_LENGTH;
    if (job.in != job.out && out.meets(in)) return CST_ERR_OVERLAP;
    if (out.meets(tag) || out.meets(iv) || out.meets(aad)) return CST_ERR_OVERLAP;
    if (job.direction == CST_SEAL && (tag.meets(in) || tag.meets(iv) || tag.meets(aad))) return CST_ERR_OVERLAP;
    return CST_OK;
}

}  // namespace

int cst::check_job(const Engine &engine, const cst_job &job) {
    if (job.size != sizeof(cst_job) || !job.key || (job.direction != CST_SEAL && job.direction != CST_OPEN)) return CST_ERR_ARGUMENT;
    const Suite &suite = *from(job.key)->suite;
    if (suite.engine != &engine) return CST_ERR_ARGUMENT;
    if (int error = check_lengths(suite, job)) return error;
    return check_buffers(suite, job);
}

namespace {

int burst(const Engine *engine, cst_job *jobs, size_t n) {
    int error = CST_OK;
    for (size_t i = 0; i < n; i++) {
        if (jobs[i].size != sizeof(cst_job)) return CST_ERR_ARGUMENT;  // an array of something else: nowhere to put a status
    }
    for (size_t i = 0; i < n; i++) {
        const int wrong = check_job(*engine, jobs[i]);
        jobs[i].status = wrong ? wrong : JOB_WAITING;
        if (!error) error = wrong;
    }
    if (error) return error;
    const ClearRegisters clear(engine->cpu());
    return guarded([&]() -> int {
        Arena arena;
        if (int short_of_memory = arena.allocate(*engine, n)) return short_of_memory;
        return run_burst(&arena, jobs, n);
    });
}

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
    cst_job job = {0, key, CST_SEAL, 0, iv, iv_len, aad, aad_len, in, in_len, out, out_cap, 0, tag, tag_len};
    return one(&job, out_len);
}

int cst_open(const cst_key *key, const void *iv, size_t iv_len, const void *aad, size_t aad_len, const void *in, size_t in_len, void *out,
             size_t out_cap, size_t *out_len, const void *tag, size_t tag_len) {
    cst_job job = {0, key, CST_OPEN, 0, iv, iv_len, aad, aad_len, in, in_len, out, out_cap, 0, const_cast<void *>(tag), tag_len};
    return one(&job, out_len);
}

int cst_digest(const cst_key *key, const void *in, size_t in_len, void *tag, size_t tag_len) {
    if (key && from(key)->suite->enciphers()) return CST_ERR_ARGUMENT;
    cst_job job = {0, key, CST_SEAL, 0, nullptr, 0, nullptr, 0, in, in_len, nullptr, 0, 0, tag, tag_len};
    return one(&job, nullptr);
}
