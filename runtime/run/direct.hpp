// Suites whose jobs run one after the other, without works and phases, where that is faster: gcm_direct.cpp, chacha_direct.cpp, counter.cpp, lone.cpp.
#pragma once

#include "../suite/secret.hpp"
#include "burst.hpp"

namespace cst {

// Of the jobs those that wait, of this suite and direction, for which the suite's direct way is.
template <typename Each>
void each_waiting(const Suite &suite, int direction, cst_job *jobs, size_t n, bool (*takes)(const cst_job &), Each each) {
    for (size_t i = 0; i < n; i++) {
        cst_job &job = jobs[i];
        if (job.status != JOB_WAITING || job.direction != direction || key_of(job).suite != &suite || !takes(job)) continue;
        each(&job);
    }
}
// A job that did not authenticate is as good as never opened. Its text is as long as its input, and in one piece.
inline void refuse(cst_job *job) {
    if (job->out) wipe(job->out, job->in_len);
    job->out_len = 0;
    job->status = CST_ERR_AUTH;
}
inline bool one_key(const cst_job *jobs, size_t n) { return n > 1 && jobs[0].key == jobs[1].key; }

// AEADs: what seal(job) and open(job) of a Direct do; open tells whether the job authenticated.
template <typename Direct>
int seal_or_open(Arena *arena, const Suite &suite, int direction, cst_job *jobs, size_t n, bool (*takes)(const cst_job &)) {
    Direct direct(arena, suite, one_key(jobs, n));
    int result = CST_OK;
    if (!direct.usable()) return result;
    each_waiting(suite, direction, jobs, n, takes, [&](cst_job *job) {
        if (direction == CST_SEAL) direct.seal(job);
        else if (!direct.open(job)) result = CST_ERR_AUTH;
    });
    return result;
}

// Each `takes` tells whether the direct way is for the job. The other runs such jobs as far as they wait; none at all while a kernel is forced. Returns
// CST_OK, or CST_ERR_AUTH when one did not authenticate.
bool gcm_takes(const cst_job &job);
int gcm_direct(Arena *arena, const Suite &suite, int direction, cst_job *jobs, size_t n);
bool counter_takes(const cst_job &job);
int counter_direct(Arena *arena, const Suite &suite, int direction, cst_job *jobs, size_t n);
bool chacha_takes(const cst_job &job);
int chacha_direct(Arena *arena, const Suite &suite, int direction, cst_job *jobs, size_t n);
bool chacha_poly_takes(const cst_job &job);
int chacha_poly_direct(Arena *arena, const Suite &suite, int direction, cst_job *jobs, size_t n);
// ccm_abreast.cpp: those of the same lengths.
bool ccm_takes(const cst_job &job);
int ccm_direct(Arena *arena, const Suite &suite, int direction, cst_job *jobs, size_t n);
// One job only: of several, lanes are better.
bool lone_takes(const cst_job &job);
int lone_direct(Arena *arena, const Suite &suite, int direction, cst_job *jobs, size_t n);

}  // namespace cst
