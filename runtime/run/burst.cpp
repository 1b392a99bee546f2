#include "burst.hpp"

#include "direct.hpp"
#include "gcm.hpp"
#include "rc4.hpp"
#include "short_jobs.hpp"

namespace cst {
namespace {

// Many short jobs are worked on in several batches: what one needs stays in the first-level cache, and lanes are full all the same.
constexpr size_t SHORT_WORKS = 32, SHORT_BYTES = 512;

// How each Construction is sealed and opened, and the direct way of some.
struct Way {
    void (*seal)(const Batch &);
    void (*open)(const Batch &);
    bool (*takes)(const cst_job &) = nullptr;
    int (*direct)(Arena *, const Suite &, int, cst_job *, size_t) = nullptr;
};
constexpr Way kWays[] = {
    {seal_batch, open_batch, lone_takes, lone_direct},  // single
    {seal_batch, open_batch, lone_takes, lone_direct},  // etm
    {seal_batch, open_batch, lone_takes, lone_direct},  // rfc7518
    {seal_batch, open_batch, lone_takes, lone_direct},  // esp
    {seal_records, open_records, lone_takes, lone_direct},  // tls
    {counter_batch, counter_batch, counter_takes, counter_direct},  // counter
    {gcm_seal, gcm_open, gcm_takes, gcm_direct},  // gcm
    {chacha_batch, chacha_batch, chacha_takes, chacha_direct},  // chacha
    {seal_chacha_poly, open_chacha_poly, chacha_poly_takes, chacha_poly_direct},  // chacha_poly
    {seal_xts, open_xts},            // xts
    {seal_block_macs, open_block_macs},  // cmac
    {seal_block_macs, open_block_macs},  // xcbc
    {seal_ccm, open_ccm, ccm_takes, ccm_direct},  // ccm
    {rc4_batch, rc4_batch},              // rc4
    {seal_rc4_hmac, open_rc4_hmac},      // rc4_hmac
};

// Chooses the jobs of a batch.
class Gathering {
public:
    explicit Gathering(const cst_job &first)
        : suite_(key_of(first).suite), direction_(first.direction), takes_short_(takes_short_jobs(*suite_)),
          short_(takes_short_ && is_short(*suite_, first)) {}

    const Suite &suite() const { return *suite_; }
    bool short_jobs() const { return short_; }
    bool wants(const cst_job &job) const {
        if (job.status != JOB_WAITING || job.direction != direction_ || key_of(job).suite != suite_) return false;
        return !takes_short_ || is_short(*suite_, job) == short_;
    }
    // True when so many have come that the batch had better be run.
    bool enough(const cst_job &job, size_t n) {
        few_bytes_ += job.in_len + job.aad_len <= SHORT_BYTES;
        return few_bytes_ == SHORT_WORKS && few_bytes_ == n;
    }

private:
    const Suite *const suite_;
    const int direction_;
    const bool takes_short_, short_;
    size_t few_bytes_ = 0;
};

// They run the jobs that go together with jobs[0]. False when one did not authenticate.

bool run_any(Arena *arena, Gathering gathering, cst_job *jobs, size_t n) {
    const Suite &suite = gathering.suite();
    Batch batch = {&suite, arena, arena->works, 0, true};
    const bool seal = jobs[0].direction == CST_SEAL;
    for (size_t i = 0; i < n && batch.n < arena->works_room(); i++) {
        if (!gathering.wants(jobs[i])) continue;
        Work *work = arena->begin(batch.n++);
        work->job = &jobs[i];
        work->key = &key_of(jobs[i]);
        work->item.owner = work;
        work->item.cipher_from = static_cast<const uint8_t *>(jobs[i].iv);
        work->item.cipher_chain = work->chain;
        if (suite.half_blocks()) work->begin_half_chain();
        work->item.hash_from = work->key->inner;
        work->item.hash_chain = work->hash_chain;
        if (suite.block_mac()) work->item.mac_keys_end = work->key->mac[suite.hash->record.rounds + 1];
        work->item.round_keys = seal || suite.encrypt == suite.decrypt ? work->key->encrypt[0] : work->key->decrypt[0];
        batch.one_key &= work->key == batch.works[0].key;
        if (gathering.enough(jobs[i], batch.n)) break;
    }
    const Way &way = kWays[size_t(suite.construction)];
    (seal ? way.seal : way.open)(batch);
    bool all = true;
    for (size_t i = 0; i < batch.n && !seal; i++) all &= !batch.works[i].failed;
    return all;
}

bool run_short(Arena *arena, Gathering gathering, cst_job *jobs, size_t n) {
    const Gathering start = gathering;
    const int direction = jobs[0].direction;
    const size_t room = arena->works_room();
    const Key *const key = &key_of(jobs[0]);
    ShortJob *next = arena->short_jobs;
    size_t taken = 0;
    bool one_key = true;
    for (size_t i = 0; i < n && taken < room; i++) {
        if (!gathering.wants(jobs[i])) continue;
        next++->take(&jobs[i], &key_of(jobs[i]));
        one_key &= &key_of(jobs[i]) == key;
        if (gathering.enough(jobs[i], ++taken)) break;
    }
    ShortBatch batch = {&gathering.suite(), arena, arena->short_jobs, taken, one_key};
    leave_to_pairs(&batch);
    if (!batch.n) return run_any(arena, start, jobs, n);
    arena->short_jobs_used = batch.n > arena->short_jobs_used ? batch.n : arena->short_jobs_used;
    if (direction == CST_OPEN) return open_short_jobs(batch);
    seal_short_jobs(batch);
    return true;
}

}  // namespace

int run_burst(Arena *arena, cst_job *jobs, size_t n) {
    bool all = true;
    for (size_t first = 0; first < n; first++) {
        if (jobs[first].status != JOB_WAITING) continue;
        const Suite &suite = *key_of(jobs[first]).suite;
        const Way &way = kWays[size_t(suite.construction)];
        if (way.takes && way.takes(jobs[first])) {
            all &= way.direct(arena, suite, jobs[first].direction, jobs + first, n - first) == CST_OK;
            if (jobs[first].status != JOB_WAITING) continue;
        }
        const Gathering gathering(jobs[first]);
        all &= (gathering.short_jobs() ? run_short : run_any)(arena, gathering, jobs + first, n - first);
        if (jobs[first].status == JOB_WAITING) first--;  // left for the next batch
    }
    arena->clean();
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
