#include "gcm_burst.hpp"

#include "direct.hpp"
#include "gcm_few.hpp"
#include "gcm_stitched.hpp"

namespace cst {

bool run_gcm_burst(const Suite &suite, int direction, cst_job *jobs, size_t n) {
    if (suite.forced) return true;
    bool all = true;
    GcmStitched stitched(suite, direction, one_key(jobs, n));
    auto any = [](const cst_job &) { return true; };
    each_waiting(suite, direction, jobs, n, any, [&](cst_job *job) {
        if (gcm_few(*job, n == 1)) all &= run_gcm_few(job, 1);
        else if (GcmStitched::takes(*job)) stitched.run(job);
    });
    return all && stitched.all();
}

}  // namespace cst
