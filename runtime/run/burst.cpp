#include "burst.hpp"

#include "direct.hpp"
#include "gcm.hpp"

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
    {seal_batch, open_batch},        // single
    {seal_batch, open_batch},        // etm
    {seal_batch, open_batch},        // rfc7518
    {seal_batch, open_batch},        // esp
    {seal_records, open_records},    // tls
    {counter_batch, counter_batch, counter_takes, counter_direct},  // counter
    {gcm_seal, gcm_open, gcm_takes, gcm_direct},  // gcm
    {chacha_batch, chacha_batch, chacha_takes, chacha_direct},  // chacha
    {seal_chacha_poly, open_chacha_poly, chacha_poly_takes, chacha_poly_direct},  // chacha_poly
    {seal_xts, open_xts},            // xts
    {seal_block_macs, open_block_macs},  // cmac
    {seal_block_macs, open_block_macs},  // xcbc
    {seal_ccm, open_ccm},                // ccm
};

const Key *key_of(const cst_job &job) { return reinterpret_cast<const Key *>(job.key); }

}  // namespace

int run_burst(Arena *arena, cst_job *jobs, size_t n) {
    const size_t room = arena->works_room();
    int result = CST_OK;
    for (size_t first = 0; first < n; first++) {
        if (jobs[first].status != JOB_WAITING) continue;
        const Suite *suite = key_of(jobs[first])->suite;
        const int direction = jobs[first].direction;
        const Way &way = kWays[size_t(suite->construction)];
        if (way.takes && way.takes(jobs[first])) {
            if (int error = way.direct(arena, *suite, direction, jobs + first, n - first)) result = error;
            if (jobs[first].status != JOB_WAITING) continue;
        }
        Batch batch = {suite, arena, arena->works, 0, true};
        size_t short_ones = 0;
        for (size_t i = first; i < n && batch.n < room; i++) {
            cst_job &job = jobs[i];
            if (job.status != JOB_WAITING || job.direction != direction || key_of(job)->suite != suite) continue;
            Work *work = arena->begin(batch.n++);
            work->job = &job;
            work->key = key_of(job);
            work->item.owner = work;
            work->item.cipher_from = static_cast<const uint8_t *>(job.iv);
            work->item.cipher_chain = work->chain;
            work->item.hash_from = work->key->inner;
            work->item.hash_chain = work->hash_chain;
            work->item.round_keys = direction == CST_SEAL || suite->encrypt == suite->decrypt ? work->key->encrypt[0] : work->key->decrypt[0];
            if (work->key != batch.works[0].key) batch.one_key = false;
            if (job.in_len + job.aad_len <= SHORT_BYTES) {
                if (++short_ones == SHORT_WORKS && short_ones == batch.n) break;
            }
        }
        if (direction == CST_SEAL) {
            way.seal(batch);
        } else {
            way.open(batch);
            for (size_t i = 0; i < batch.n; i++)
                if (batch.works[i].failed) result = CST_ERR_AUTH;
        }
    }
    arena->clean();
    return result;
}

}  // namespace cst
