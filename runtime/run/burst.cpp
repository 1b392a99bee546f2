#include "burst.hpp"

#include <algorithm>
#include <new>

namespace cst {
namespace {

const Key *key_of(const cst_job &job) { return reinterpret_cast<const Key *>(job.key); }

}  // namespace

int run_burst(Arena *arena, cst_job *jobs, size_t n) {
    const size_t room = arena->works_room();
    int result = CST_OK;
    for (size_t first = 0; first < n; first++) {
        if (jobs[first].status != JOB_WAITING) continue;
        const Suite *suite = key_of(jobs[first])->suite;
        const int direction = jobs[first].direction;
        Batch batch = {suite, arena, arena->works, 0, true};
        for (size_t i = first; i < n && batch.n < room; i++) {
            cst_job &job = jobs[i];
            if (job.status != JOB_WAITING || job.direction != direction || key_of(job)->suite != suite) continue;
            Work *work = new (&batch.works[batch.n++]) Work;
            work->job = &job;
            work->key = key_of(job);
            if (work->key != batch.works[0].key) batch.one_key = false;
        }
        arena->works_used = std::max(arena->works_used, batch.n);
        const bool records = suite->construction == Construction::tls;
        if (direction == CST_SEAL) {
            (records ? seal_records : seal_batch)(batch);
        } else {
            (records ? open_records : open_batch)(batch);
            for (size_t i = 0; i < batch.n; i++)
                if (batch.works[i].failed) result = CST_ERR_AUTH;
        }
    }
    arena->clean();
    return result;
}

}  // namespace cst
