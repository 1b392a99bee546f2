// The C API: operations with private keys of RSA.

#include <vector>

#include "pk_operation.hpp"
#include "run/rsa.hpp"
#include "run/rsa_padding.hpp"
#include "suite/secret.hpp"

namespace cst {
namespace {

const uint8_t *bytes_of(const void *p) { return static_cast<const uint8_t *>(p); }

// What there is to do around the private operation. `begin` makes the encoded message of each job, of as many bytes as
// its key has, and returns the status of jobs that cannot be run; `end` writes the result of one.
class Scheme {
public:
    virtual ~Scheme() = default;
    virtual int check(const cst_pk_job &job, size_t size) const = 0;
    virtual int encode(const cst_pk_job &job, const uint8_t *digest, uint8_t *encoded, size_t size) const = 0;
    virtual void finish(cst_pk_job *job, const uint8_t *, uint8_t *result, size_t size) const {
        succeed(job, result, size);
    }
    // Of which texts digests are wanted: in, label (signature) or none
    virtual cst_piece hashed(const cst_pk_job &) const { return {nullptr, 0}; }

    Digests hash;  // not initialised where nothing is hashed
};

class Raw : public Scheme {
public:
    int check(const cst_pk_job &job, size_t size) const override {
        if (job.in_len != size || job.out_cap < size) return CST_ERR_LENGTH;
        return CST_OK;
    }
    int encode(const cst_pk_job &job, const uint8_t *, uint8_t *encoded, size_t size) const override {
        memcpy(encoded, job.in, size);
        return CST_OK;
    }
};

class Signature : public Scheme {
public:
    int check(const cst_pk_job &job, size_t size) const override {
        return job.out_cap < size ? CST_ERR_LENGTH : CST_OK;
    }
    int encode(const cst_pk_job &, const uint8_t *digest, uint8_t *encoded, size_t size) const override {
        pad_pkcs1(digest, hash.bytes(), encoded, size);
        return CST_OK;
    }
    cst_piece hashed(const cst_pk_job &job) const override { return {const_cast<void *>(job.in), job.in_len}; }
};

class Probabilistic : public Signature {
public:
    int check(const cst_pk_job &job, size_t size) const override {
        if (!job.signature && job.signature_len) return CST_ERR_ARGUMENT;
        if (job.signature_len > pss_salt_room(hash.bytes(), size)) return CST_ERR_LENGTH;
        return Signature::check(job, size);
    }
    int encode(const cst_pk_job &job, const uint8_t *digest, uint8_t *encoded, size_t size) const override {
        pad_pss(hash, digest, bytes_of(job.signature), job.signature_len, encoded, size);
        return CST_OK;
    }
};

class Decryption : public Raw {
public:
    int check(const cst_pk_job &job, size_t size) const override {
        if (!job.signature && job.signature_len) return CST_ERR_ARGUMENT;
        if (job.in_len != size || job.out_cap < oaep_room(hash.bytes(), size)) return CST_ERR_LENGTH;
        return CST_OK;
    }
    void finish(cst_pk_job *job, const uint8_t *digest, uint8_t *result, size_t size) const override {
        size_t bytes = 0;
        if (unpad_oaep(hash, digest, result, size, &bytes)) succeed(job, result, bytes);
        else job->status = CST_ERR_AUTH;
    }
    cst_piece hashed(const cst_pk_job &job) const override {
        return {const_cast<void *>(job.signature), job.signature_len};
    }
};

struct Row {
    const char *name, *hash;
    size_t digest_bytes;
    std::unique_ptr<Scheme> (*make)();
};
template <typename Its>
std::unique_ptr<Scheme> make() {
    return std::make_unique<Its>();
}
constexpr Row ROWS[] = {
    {"rsa-private", nullptr, 0, make<Raw>},
    {"rsa-sign-pkcs1-sha256", "sha256", 32, make<Signature>},
    {"rsa-sign-pkcs1-sha384", "sha384", 48, make<Signature>},
    {"rsa-sign-pkcs1-sha512", "sha512", 64, make<Signature>},
    {"rsa-sign-pss-sha256", "sha256", 32, make<Probabilistic>},
    {"rsa-decrypt-oaep-sha256", "sha256", 32, make<Decryption>},
};

class RsaOperation : public PkOperation {
public:
    explicit RsaOperation(const Row &row) : row_(row), scheme_(row.make()) {}
    int init(const cst_ctx &ctx, const char *kernel) override {
        if (int error = sha256_.init(ctx.engine, ctx.suites, "sha256", 32)) return error;
        if (row_.hash)
            if (int error = scheme_->hash.init(ctx.engine, ctx.suites, row_.hash, row_.digest_bytes)) return error;
        return private_.init(ctx.engine, kernel);
    }
    bool takes_prepared() const override { return true; }
    int new_key(const void *der, size_t size, cst_pk_key *key) const override {
        return key->rsa.init(der, size, sha256_);
    }
    int check(const cst_pk_job &job) const override {
        if (!job.out) return CST_ERR_ARGUMENT;
        return scheme_->check(job, job.prepared->rsa.bytes());
    }

    void run(cst_pk_job *jobs, size_t n) const override {
        const size_t each = scheme_->hash.bytes();
        std::vector<uint8_t> digests(each * n);
        if (each && n) {
            std::vector<Digests::Text> texts(n);
            for (size_t i = 0; i < n; i++) texts[i] = {{scheme_->hashed(jobs[i]), {}, {}}};
            scheme_->hash.run(texts, digests.data());
        }
        Works works(n);
        std::vector<size_t> places;
        uint8_t encoded[MOST_RSA_BYTES];
        for (size_t i = 0; i < n; i++) {
            const RsaKey &key = jobs[i].prepared->rsa;
            RsaPrivate::Job &work = works.jobs[places.size()];
            scheme_->encode(jobs[i], digests.data() + each * i, encoded, key.bytes());
            read_number(encoded, key.bytes(), work.in, key.words());
            work.key = &key;
            // A number as large as the modulus: of OAEP one more ciphertext that is wrong
            if (is_less(work.in, key.n(), key.words())) places.push_back(i);
            else jobs[i].status = row_.hash ? CST_ERR_AUTH : CST_ERR_ARGUMENT;
        }
        private_.run(works.jobs.data(), places.size());
        for (size_t k = 0; k < places.size(); k++) {
            const RsaPrivate::Job &work = works.jobs[k];
            cst_pk_job &job = jobs[places[k]];
            write_number(work.out, encoded, work.key->bytes());
            if (work.right) scheme_->finish(&job, digests.data() + each * places[k], encoded, work.key->bytes());
            else job.status = CST_ERR_SELFTEST;
        }
        wipe(encoded, sizeof(encoded));
    }

private:
    struct Works {
        explicit Works(size_t n) : jobs(n) {}
        ~Works() { wipe(jobs.data(), jobs.size() * sizeof(jobs[0])); }
        std::vector<RsaPrivate::Job> jobs;
    };

    const Row &row_;
    const std::unique_ptr<Scheme> scheme_;
    Digests sha256_;
    RsaPrivate private_;
};

}  // namespace

std::unique_ptr<PkOperation> rsa_operation_of(const char *name) {
    for (const Row &row : ROWS)
        if (!strcmp(name, row.name)) return std::make_unique<RsaOperation>(row);
    return nullptr;
}

}  // namespace cst
