#include "apart.hpp"

#include <cstring>

#include "batch.hpp"
#include "library.hpp"
#include "plan.hpp"

namespace cst::imb {
namespace {

constexpr size_t MOST_TAG = 64;  // bytes, of any hash; checked jobs have no longer ones

}  // namespace

IMB_JOB half_of(const IMB_JOB &job, bool cipher) {
    IMB_JOB half = job;
    if (cipher) half.hash_alg = IMB_AUTH_NULL;
    else half.cipher_mode = IMB_CIPHER_NULL;
    return half;
}

// The original checks its half when it runs: where that refuses, the tag of the other half is not the caller's yet.
int run_apart(IMB_JOB *job, bool checked) {
    const bool cipher_first = number_of(job->chain_order) == IMB_ORDER_CIPHER_HASH;
    uint8_t tag[MOST_TAG];
    bool aside = false;
    job->status = IMB_STATUS_BEING_PROCESSED;
    for (const bool cipher : {cipher_first, !cipher_first}) {
        if (is_custom(*job, cipher)) {
            if ((cipher ? job->cipher_func : job->hash_func)(job)) {
                job->status = IMB_STATUS_INTERNAL_ERROR;
                return 0;
            }
        } else {
            IMB_JOB half = half_of(*job, cipher), *const list = &half;
            if (!cipher && !cipher_first && half.hash_alg != IMB_AUTH_NULL && plan_of(half).kind != Kind::real) {
                aside = true;
                half.auth_tag_output = tag;
            }
            const int error = run_jobs(&list, 1, checked);
            if (half.status != IMB_STATUS_COMPLETED) {
                job->status = half.status;
                return error;
            }
        }
    }
    if (aside) memcpy(job->auth_tag_output, tag, size_t(job->auth_tag_output_len_in_bytes));
    job->status = IMB_STATUS_COMPLETED;
    return 0;
}

}  // namespace cst::imb
