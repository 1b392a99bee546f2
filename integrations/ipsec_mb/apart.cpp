#include "apart.hpp"

#include "batch.hpp"
#include "library.hpp"

namespace cst::imb {

IMB_JOB half_of(const IMB_JOB &job, bool cipher) {
    IMB_JOB half = job;
    if (cipher) half.hash_alg = IMB_AUTH_NULL;
    else half.cipher_mode = IMB_CIPHER_NULL;
    return half;
}

int run_apart(IMB_JOB *job, bool checked) {
    const bool cipher_first = number_of(job->chain_order) == IMB_ORDER_CIPHER_HASH;
    job->status = IMB_STATUS_BEING_PROCESSED;
    for (const bool cipher : {cipher_first, !cipher_first}) {
        if (is_custom(*job, cipher)) {
            if ((cipher ? job->cipher_func : job->hash_func)(job)) {
                job->status = IMB_STATUS_INTERNAL_ERROR;
                return 0;
            }
        } else {
            IMB_JOB half = half_of(*job, cipher), *const list = &half;
            const int error = run_jobs(&list, 1, checked);
            if (half.status != IMB_STATUS_COMPLETED) {
                job->status = half.status;
                return error;
            }
        }
    }
    job->status = IMB_STATUS_COMPLETED;
    return 0;
}

}  // namespace cst::imb
