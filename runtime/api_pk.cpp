// The C API: public-key operations.

#include <memory>
#include <vector>

#include "handles.hpp"
#include "run/message.hpp"
#include "run/x25519.hpp"
#include "suite/registers.hpp"
#include "suite/secret.hpp"

using namespace cst;

struct cst_pk {
    cst_ctx *ctx;
    X25519 x25519;
};

namespace {

constexpr size_t BYTES = X25519::BYTES;
const uint8_t BASE_POINT[BYTES] = {9};  // RFC 7748, 4.1

int check(const cst_pk_job &job) {
    if (job.size != sizeof(job) || !job.key || !job.out || (!job.in && job.in_len)) return CST_ERR_ARGUMENT;
    if (job.key_len != BYTES || (job.in && job.in_len != BYTES) || job.out_cap < BYTES) return CST_ERR_LENGTH;
    return CST_OK;
}

// Returns the first error.
int check(cst_pk_job *jobs, size_t n) {
    int error = CST_OK;
    for (size_t i = 0; i < n; i++) {
        const int its = check(jobs[i]);
        jobs[i].status = its ? its : JOB_WAITING;
        jobs[i].out_len = 0;
        if (!error) error = its;
    }
    return error;
}

int run(const cst_pk &pk, cst_pk_job *jobs, size_t n) {
    std::vector<X25519::Job> work(n);
    const ClearRegisters clear(pk.ctx->engine.cpu());
    for (size_t i = 0; i < n; i++) {
        work[i].scalar = static_cast<const uint8_t *>(jobs[i].key);
        work[i].u = jobs[i].in ? static_cast<const uint8_t *>(jobs[i].in) : BASE_POINT;
    }
    pk.x25519.run(work.data(), n);
    int error = CST_OK;
    for (size_t i = 0; i < n; i++) {
        jobs[i].status = work[i].zero ? CST_ERR_POINT : CST_OK;
        if (work[i].zero) {
            error = CST_ERR_POINT;
            continue;
        }
        memcpy(jobs[i].out, work[i].result, BYTES);
        jobs[i].out_len = BYTES;
    }
    wipe(work.data(), n * sizeof(work[0]));
    return error;
}

}  // namespace

int cst_pk_new(cst_ctx *ctx, const char *operation, const char *kernel, cst_pk **pk) {
    if (!ctx || !operation || !pk) return CST_ERR_ARGUMENT;
    if (strcmp(operation, "x25519") != 0) return CST_ERR_NAME;
    return guarded([&]() -> int {
        auto made = std::make_unique<cst_pk>();
        made->ctx = ctx;
        if (int error = made->x25519.init(ctx->engine, kernel)) return error;
        *pk = made.release();
        return CST_OK;
    });
}

void cst_pk_free(cst_pk *pk) { delete pk; }

int cst_pk_burst(const cst_pk *pk, cst_pk_job *jobs, size_t n) {
    if (!pk || (!jobs && n)) return CST_ERR_ARGUMENT;
    if (int error = check(jobs, n)) return error;
    return guarded([&]() -> int { return run(*pk, jobs, n); });
}
