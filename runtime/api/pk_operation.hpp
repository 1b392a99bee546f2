// Declares the interface of cst_pk's operations.
#pragma once

#include <memory>

#include "arguments.hpp"
#include "../public_key/rsa_key.hpp"

struct cst_pk_key {
    cst::RsaKey rsa;
    const cst_ctx *ctx;  // of the operation that has prepared it
};

namespace cst {

// `check` returns what is wrong with a job's pointers and lengths beside the rule for all buffers, and reads nothing of
// them; `written` returns how many bytes of `out` a result may take. `check_contents` may read the input. `run` writes
// results and status, and may throw std::bad_alloc before it writes any.
class PkOperation {
public:
    virtual ~PkOperation() = default;
    virtual int init(const cst_ctx &ctx, const char *kernel) = 0;
    virtual int check(const cst_pk_job &job) const = 0;
    virtual size_t written(const cst_pk_job &job) const = 0;
    virtual int check_contents(const cst_pk_job &) const { return CST_OK; }
    virtual void run(cst_pk_job *jobs, size_t n) const = 0;
    // Whether jobs have prepared keys, which new_key makes of their encodings.
    virtual bool takes_prepared() const { return false; }
    virtual int new_key(const void *, size_t, cst_pk_key *) const { return CST_ERR_ARGUMENT; }
};

inline const uint8_t *bytes_of(const void *p) { return static_cast<const uint8_t *>(p); }

inline void succeed(cst_pk_job *job, const uint8_t *result, size_t bytes) {
    memcpy(job->out, result, bytes);
    job->out_len = bytes;
    job->status = CST_OK;
}

// NULL: it is none of P-256's, or of RSA's.
std::unique_ptr<PkOperation> p256_operation_of(const char *name);
std::unique_ptr<PkOperation> rsa_operation_of(const char *name);

}  // namespace cst

struct cst_pk {
    cst_ctx *ctx;
    std::unique_ptr<cst::PkOperation> operation;
};

namespace cst {

// Returns the first error; status says which jobs have one.
int check_pk_jobs(const cst_pk &pk, cst_pk_job *jobs, size_t n);
// Runs checked jobs. Returns the first status that is an error. Throws std::bad_alloc before a result is written.
int run_pk_jobs(const cst_pk &pk, cst_pk_job *jobs, size_t n);

}  // namespace cst
