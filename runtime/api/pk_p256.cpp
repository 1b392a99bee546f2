// The C API: operations on P-256.

#include <vector>

#include "pk_operation.hpp"
#include "../public_key/p256.hpp"
#include "../suite/wiped.hpp"

namespace cst {
namespace {

bool is_point(size_t bytes) { return bytes == P256_POINT || bytes == P256_COMPRESSED; }

int check_digest(const cst_pk_job &job) {
    return job.in_len && job.in_len <= Digests::MOST_BYTES ? CST_OK : CST_ERR_LENGTH;
}

class EcdsaVerifying : public PkOperation {
public:
    explicit EcdsaVerifying(bool digests) : digests_(digests) {}
    int init(const cst_ctx &ctx, const char *kernel) override { return ecdsa_.init(ctx.engine, ctx.suites, kernel); }
    int check(const cst_pk_job &job) const override {
        if (!job.signature) return CST_ERR_ARGUMENT;
        if (!is_point(job.key_len) || job.signature_len != P256_SIGNATURE) return CST_ERR_LENGTH;
        return digests_ ? check_digest(job) : CST_OK;
    }
    size_t written(const cst_pk_job &) const override { return 0; }
    void run(cst_pk_job *jobs, size_t n) const override {
        std::vector<EcdsaVerification::Job> work(n);
        for (size_t i = 0; i < n; i++) {
            work[i].key = bytes_of(jobs[i].key);
            work[i].key_bytes = jobs[i].key_len;
            work[i].signature = bytes_of(jobs[i].signature);
            work[i].message = {jobs[i].in, jobs[i].in_len, digests_};
        }
        ecdsa_.run(work.data(), n);
        for (size_t i = 0; i < n; i++) jobs[i].status = work[i].right ? CST_OK : CST_ERR_AUTH;
    }

private:
    const bool digests_;
    EcdsaVerification ecdsa_;
};

class EcdsaSigner : public PkOperation {
public:
    explicit EcdsaSigner(bool digests) : digests_(digests) {}
    int init(const cst_ctx &ctx, const char *kernel) override { return ecdsa_.init(ctx.engine, ctx.suites, kernel); }
    int check(const cst_pk_job &job) const override {
        if (!job.out) return CST_ERR_ARGUMENT;
        if (job.key_len != P256_SECRET || job.out_cap < P256_SIGNATURE) return CST_ERR_LENGTH;
        return digests_ ? check_digest(job) : CST_OK;
    }
    size_t written(const cst_pk_job &) const override { return P256_SIGNATURE; }
    void run(cst_pk_job *jobs, size_t n) const override {
        WipedVector<EcdsaSigning::Job> work(n);
        for (size_t i = 0; i < n; i++) {
            work[i].secret = bytes_of(jobs[i].key);
            work[i].message = {jobs[i].in, jobs[i].in_len, digests_};
        }
        ecdsa_.run(work.data(), n);
        for (size_t i = 0; i < n; i++) {
            if (work[i].usable) succeed(&jobs[i], work[i].signature, P256_SIGNATURE);
            else jobs[i].status = CST_ERR_POINT;
        }
    }

private:
    const bool digests_;
    EcdsaSigning ecdsa_;
};

// The other side's point times the secret, of which x is the result; or the base point times it.
class P256Multiplying : public PkOperation {
public:
    explicit P256Multiplying(bool public_keys) : public_keys_(public_keys) {}
    int init(const cst_ctx &ctx, const char *kernel) override { return p256_.init(ctx.engine, kernel); }
    int check(const cst_pk_job &job) const override {
        if (!job.out) return CST_ERR_ARGUMENT;
        const bool peer = public_keys_ || is_point(job.in_len);
        return job.key_len == P256_SECRET && peer && job.out_cap >= bytes() ? CST_OK : CST_ERR_LENGTH;
    }
    size_t written(const cst_pk_job &) const override { return bytes(); }
    void run(cst_pk_job *jobs, size_t n) const override {
        WipedVector<P256Agreement::Job> work(n);
        for (size_t i = 0; i < n; i++) {
            work[i].secret = bytes_of(jobs[i].key);
            work[i].peer = public_keys_ ? nullptr : bytes_of(jobs[i].in);
            work[i].peer_bytes = jobs[i].in_len;
        }
        p256_.run(work.data(), n);
        for (size_t i = 0; i < n; i++) {
            if (work[i].usable) succeed(&jobs[i], work[i].result + (public_keys_ ? 0 : 1), bytes());
            else jobs[i].status = CST_ERR_POINT;
        }
    }

private:
    size_t bytes() const { return public_keys_ ? P256_POINT : P256_SHARED; }
    const bool public_keys_;
    P256Agreement p256_;
};

}  // namespace

std::unique_ptr<PkOperation> p256_operation_of(const char *name) {
    const auto is = [&](const char *other) { return !strcmp(name, other); };
    if (is("ecdsa-p256-verify")) return std::make_unique<EcdsaVerifying>(false);
    if (is("ecdsa-p256-verify-digest")) return std::make_unique<EcdsaVerifying>(true);
    if (is("ecdsa-p256-sign")) return std::make_unique<EcdsaSigner>(false);
    if (is("ecdsa-p256-sign-digest")) return std::make_unique<EcdsaSigner>(true);
    if (is("ecdh-p256")) return std::make_unique<P256Multiplying>(false);
    if (is("p256-public-key")) return std::make_unique<P256Multiplying>(true);
    return nullptr;
}

}  // namespace cst
