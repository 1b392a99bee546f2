// Sessions: what a job asks for, as numbers that its submission is quicker by in the original; here they are only
// compared. The number of a session is another each time.

#include <atomic>

#include "check.hpp"
#include "errors.hpp"
#include "functions.hpp"
#include "real.hpp"

using namespace cst::imb;

namespace {

struct SuiteNumbers {
    uint32_t cipher, hash;
};

// Without a cipher of the library's, the fields of one say nothing.
SuiteNumbers numbers_of(const IMB_JOB &job) {
    const unsigned mode = number_of(job.cipher_mode);
    const bool without = mode == IMB_CIPHER_NULL || mode == IMB_CIPHER_CUSTOM;
    const uint32_t key = without ? 0 : uint32_t(job.key_len_in_bytes & 0xffff),
                   direction = without ? 0 : number_of(job.cipher_direction) & 0xff;
    return {mode << 24 | direction << 16 | key, number_of(job.hash_alg)};
}

int wrong_there(IMB_JOB job) {
    IMB_MGR *const real = real_manager();
    uint32_t (*set_session)(IMB_MGR *, IMB_JOB *) = nullptr;
    if (!real_function("imb_set_session", &set_session)) return IMB_ERR_CIPH_MODE;
    return set_session(real, &job) ? 0 : real->imb_errno;
}

// What does not depend on a message.
int wrong_session(const IMB_JOB &job) {
    const unsigned mode = number_of(job.cipher_mode), direction = number_of(job.cipher_direction);
    if (mode != IMB_CIPHER_NULL && direction != IMB_DIR_ENCRYPT && direction != IMB_DIR_DECRYPT)
        return IMB_ERR_JOB_CIPH_DIR;
    const Plan &plan = plan_of(job);
    switch (plan.kind) {
        case Kind::impossible: return check_job(job, plan, true);
        case Kind::real: return wrong_there(job);
        default: break;
    }
    const bool chacha =
        mode == IMB_CIPHER_CHACHA20 || mode == IMB_CIPHER_CHACHA20_POLY1305 || mode == IMB_CIPHER_CHACHA20_POLY1305_SGL;
    return chacha && job.key_len_in_bytes != IMB_CHACHA20_POLY1305_KEY_SIZE ? IMB_ERR_JOB_KEY_LEN : 0;
}

}  // namespace

namespace cst::imb {

int wrong_suite(const IMB_JOB &job) {
    const SuiteNumbers numbers = numbers_of(job);
    return job.suite_id[0] == numbers.cipher && job.suite_id[1] == numbers.hash ? 0 : IMB_ERR_BURST_SUITE_ID;
}

void name_suite(IMB_MGR *, IMB_JOB *job) {
    const SuiteNumbers numbers = numbers_of(*job);
    job->suite_id[0] = numbers.cipher;
    job->suite_id[1] = numbers.hash;
}

}  // namespace cst::imb

uint32_t imb_set_session(IMB_MGR *manager, IMB_JOB *job) {
    static std::atomic<uint32_t> last{0};
    const int wrong = !manager ? IMB_ERR_NULL_MBMGR : !job ? IMB_ERR_NULL_JOB : wrong_session(*job);
    set_error(manager, wrong);
    if (wrong) return 0;
    name_suite(manager, job);
    do job->session_id = last.fetch_add(1, std::memory_order_relaxed) + 1;
    while (!job->session_id);
    return job->session_id;
}
