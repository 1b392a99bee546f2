// The C API: public-key operations.

#include <memory>
#include <vector>

#include "pk_operation.hpp"
#include "../public_key/ed25519.hpp"
#include "../executors/message.hpp"
#include "../public_key/x25519.hpp"
#include "../suite/registers.hpp"
#include "../suite/wiped.hpp"

using namespace cst;

namespace {

// The other side's public key times the secret scalar; or the base point times it.
class X25519Multiplying : public PkOperation {
public:
    explicit X25519Multiplying(bool public_keys) : public_keys_(public_keys) {}
    int init(const cst_ctx &ctx, const char *kernel) override { return x25519_.init(ctx.engine, kernel); }
    int check(const cst_pk_job &job) const override {
        if (!job.out) return CST_ERR_ARGUMENT;
        const bool peer = public_keys_ || job.in_len == BYTES;
        return job.key_len == BYTES && peer && job.out_cap >= BYTES ? CST_OK : CST_ERR_LENGTH;
    }
    size_t written(const cst_pk_job &) const override { return BYTES; }
    void run(cst_pk_job *jobs, size_t n) const override {
        static const uint8_t BASE_POINT[BYTES] = {9};  // RFC 7748, 4.1
        WipedVector<X25519::Job> work(n);
        for (size_t i = 0; i < n; i++) {
            work[i].scalar = bytes_of(jobs[i].key);
            work[i].u = public_keys_ ? BASE_POINT : bytes_of(jobs[i].in);
        }
        x25519_.run(work.data(), n);
        for (size_t i = 0; i < n; i++) {
            if (work[i].zero) jobs[i].status = CST_ERR_POINT;
            else succeed(&jobs[i], work[i].result, BYTES);
        }
    }

private:
    static constexpr size_t BYTES = X25519::BYTES;
    const bool public_keys_;
    X25519 x25519_;
};

class Verification : public PkOperation {
public:
    explicit Verification(bool zip215) : zip215_(zip215) {}
    int init(const cst_ctx &ctx, const char *kernel) override {
        return ed25519_.init(ctx.engine, ctx.suites, kernel, zip215_);
    }
    int check(const cst_pk_job &job) const override {
        if (!job.signature) return CST_ERR_ARGUMENT;
        if (job.key_len != ED25519_KEY || job.signature_len != ED25519_SIGNATURE) return CST_ERR_LENGTH;
        return CST_OK;
    }
    size_t written(const cst_pk_job &) const override { return 0; }
    void run(cst_pk_job *jobs, size_t n) const override {
        std::vector<Ed25519Verification::Job> work(n);
        for (size_t i = 0; i < n; i++)
            work[i] = {bytes_of(jobs[i].key), bytes_of(jobs[i].signature), jobs[i].in, jobs[i].in_len, false};
        ed25519_.run(work.data(), n);
        for (size_t i = 0; i < n; i++) jobs[i].status = work[i].right ? CST_OK : CST_ERR_AUTH;
    }

private:
    const bool zip215_;
    Ed25519Verification ed25519_;
};

class Signing : public PkOperation {
public:
    explicit Signing(bool public_keys) : public_keys_(public_keys) {}
    int init(const cst_ctx &ctx, const char *kernel) override { return ed25519_.init(ctx.engine, ctx.suites, kernel); }
    int check(const cst_pk_job &job) const override {
        if (!job.out) return CST_ERR_ARGUMENT;
        const bool with_public_key = !public_keys_ && job.key_len == 2 * ED25519_KEY;
        if ((job.key_len != ED25519_KEY && !with_public_key) || job.out_cap < bytes()) return CST_ERR_LENGTH;
        return CST_OK;
    }
    size_t written(const cst_pk_job &) const override { return bytes(); }
    void run(cst_pk_job *jobs, size_t n) const override {
        WipedVector<Ed25519Signing::Job> work(n);
        for (size_t i = 0; i < n; i++) {
            const uint8_t *const key = bytes_of(jobs[i].key);
            work[i].seed = key;
            work[i].public_key = jobs[i].key_len == ED25519_KEY ? nullptr : key + ED25519_KEY;
            work[i].message = jobs[i].in;
            work[i].bytes = jobs[i].in_len;
        }
        if (public_keys_) ed25519_.make_public_keys(work.data(), n);
        else ed25519_.sign(work.data(), n);
        for (size_t i = 0; i < n; i++) succeed(&jobs[i], work[i].result, bytes());
    }

private:
    size_t bytes() const { return public_keys_ ? ED25519_KEY : ED25519_SIGNATURE; }
    const bool public_keys_;
    Ed25519Signing ed25519_;
};

std::unique_ptr<PkOperation> operation_of(const char *name) {
    const auto is = [&](const char *other) { return !strcmp(name, other); };
    if (is("x25519")) return std::make_unique<X25519Multiplying>(false);
    if (is("x25519-public-key")) return std::make_unique<X25519Multiplying>(true);
    if (is("ed25519-verify")) return std::make_unique<Verification>(false);
    if (is("ed25519-verify-zip215")) return std::make_unique<Verification>(true);
    if (is("ed25519-sign")) return std::make_unique<Signing>(false);
    if (is("ed25519-public-key")) return std::make_unique<Signing>(true);
    std::unique_ptr<PkOperation> other = p256_operation_of(name);
    return other ? std::move(other) : rsa_operation_of(name);
}

// all: the array of jobs that the call takes.
int check_pk_job(const cst_pk &pk, const cst_pk_job &job, const Argument &all) {
    const PkOperation &operation = *pk.operation;
    if (operation.takes_prepared()) {
        if (!job.prepared || job.prepared->ctx != pk.ctx || job.key_len) return CST_ERR_ARGUMENT;
    } else if (!job.key || job.prepared) {
        return CST_ERR_ARGUMENT;
    }
    const int error =
        check_arguments(operation.check(job), {all, Argument::input(job.key, job.key_len).or_in_place(),
                                               Argument::input(job.in, job.in_len).or_in_place(),
                                               Argument::input(job.signature, job.signature_len),
                                               Argument::output(job.out, operation.written(job)).or_in_place()});
    return error ? error : operation.check_contents(job);
}

}  // namespace

int cst::check_pk_jobs(const cst_pk &pk, cst_pk_job *jobs, size_t n) {
    const Argument all = Argument::outputs(jobs, n);
    if (int error = check_arguments(CST_OK, {all})) return error;
    for (size_t i = 0; i < n; i++)
        if (jobs[i].size != sizeof(cst_pk_job)) return CST_ERR_ARGUMENT;  // no status to write
    int error = CST_OK;
    for (size_t i = 0; i < n; i++) {
        cst_pk_job &job = jobs[i];
        const int its = check_pk_job(pk, job, all);
        job.status = its ? its : JOB_WAITING;
        job.out_len = 0;
        if (!error) error = its;
    }
    return error;
}

int cst::run_pk_jobs(const cst_pk &pk, cst_pk_job *jobs, size_t n) {
    const ClearRegisters clear(pk.ctx->engine.cpu());
    const ClearStack clear_below;
    pk.operation->run(jobs, n);
    for (size_t i = 0; i < n; i++)
        if (jobs[i].status) return jobs[i].status;
    return CST_OK;
}

int cst_pk_new(cst_ctx *ctx, const char *operation, const char *kernel, cst_pk **pk) {
    if (!ctx || !operation || !is_object(pk)) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        std::unique_ptr<PkOperation> made = operation_of(operation);
        if (!made) return CST_ERR_NAME;
        if (int error = made->init(*ctx, kernel)) return error;
        *pk = new cst_pk{ctx, std::move(made)};
        return CST_OK;
    });
}

void cst_pk_free(cst_pk *pk) { delete pk; }

int cst_pk_key_new(const cst_pk *pk, const void *der, size_t len, cst_pk_key **key) {
    if (!pk || !der) return CST_ERR_ARGUMENT;
    if (int error = check_arguments(CST_OK, {Argument::input(der, len), Argument::outputs(key)})) return error;
    return guarded([&]() -> int {
        const ClearRegisters clear(pk->ctx->engine.cpu());
        const ClearStack clear_below;
        auto made = std::make_unique<cst_pk_key>();
        made->ctx = pk->ctx;
        if (int error = pk->operation->new_key(der, len, made.get())) return error;
        *key = made.release();
        return CST_OK;
    });
}

void cst_pk_key_free(cst_pk_key *key) { delete key; }

int cst_pk_burst(const cst_pk *pk, cst_pk_job *jobs, size_t n) {
    if (!pk) return CST_ERR_ARGUMENT;
    if (int error = check_pk_jobs(*pk, jobs, n)) return error;
    return guarded([&] { return run_pk_jobs(*pk, jobs, n); });
}
