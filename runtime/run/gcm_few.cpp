#include "gcm_few.hpp"

#include "direct.hpp"

namespace cst {

void refuse_forged(cst_job *jobs, size_t n) {
    for (cst_job *job = jobs; job < jobs + n; job++)
        if (job->status != CST_OK) refuse(job);
}

}  // namespace cst
