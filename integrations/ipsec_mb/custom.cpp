#include "custom.hpp"

#include "batch.hpp"
#include "library.hpp"

namespace cst::imb {

IMB_JOB without_custom(const IMB_JOB &job) {
    IMB_JOB rest = job;
    if (rest.cipher_mode == IMB_CIPHER_CUSTOM) rest.cipher_mode = IMB_CIPHER_NULL;
    if (rest.hash_alg == IMB_AUTH_CUSTOM) rest.hash_alg = IMB_AUTH_NULL;
    return rest;
}

int run_custom(IMB_JOB *job, bool checked) {
    const bool cipher_first = number_of(job->chain_order) == IMB_ORDER_CIPHER_HASH;
    job->status = IMB_STATUS_BEING_PROCESSED;
    for (const bool cipher : {cipher_first, !cipher_first}) {
        if (cipher ? job->cipher_mode == IMB_CIPHER_CUSTOM : job->hash_alg == IMB_AUTH_CUSTOM) {
            if ((cipher ? job->cipher_func : job->hash_func)(job)) {
                job->status = IMB_STATUS_INTERNAL_ERROR;
                return 0;
            }
        } else {
            IMB_JOB rest = without_custom(*job), *const list = &rest;
            const int error = run_jobs(&list, 1, checked);
            if (rest.status != IMB_STATUS_COMPLETED) {
                job->status = rest.status;
                return error;
            }
        }
    }
    job->status = IMB_STATUS_COMPLETED;
    return 0;
}

}  // namespace cst::imb
