#include "gcm_few.hpp"

#include "../select/upper_halves.hpp"
#include "../suite/gcm_narrow.hpp"
#include "direct.hpp"

namespace cst {

bool run_gcm_few(cst_job *jobs, size_t n) {
    const Suite &suite = *reinterpret_cast<const Key *>(jobs->key)->suite;
    if (!suite.wide && suite.engine->avx()) clear_upper_halves();
    if (suite.wide ? gcm_wide(jobs, n) : gcm_narrow(jobs, n, suite.double_blocks)) return true;
    for (cst_job *job = jobs; job < jobs + n; job++)
        if (job->status != CST_OK) refuse(job);
    return false;
}

}  // namespace cst
