// The C API: operations with private keys of RSA.

#include <string>
#include <vector>

#include "pk_operation.hpp"
#include "../public_key/rsa.hpp"
#include "../public_key/rsa_padding.hpp"
#include "../suite/wiped.hpp"

namespace cst {
namespace {

// Encodes a job's input for the private operation, and decodes what that returns. Encoded messages have as many bytes
// as the modulus.
class Scheme {
public:
    virtual ~Scheme() = default;
    virtual int check(const cst_pk_job &job, size_t size) const = 0;
    virtual size_t most_result(size_t size) const { return size; }
    virtual bool is_pss() const { return false; }
    // Returns the text whose digest `encode` and `decode` get: of no use where nothing is hashed.
    virtual cst_piece hashed(const cst_pk_job &) const { return {nullptr, 0}; }
    virtual void encode(const cst_pk_job &job, const uint8_t *digest, uint8_t *encoded, size_t size) const = 0;
    // Makes the result of a job in place, of *bytes, and returns its status.
    virtual int decode(const uint8_t *, uint8_t *, size_t size, size_t *bytes) const {
        *bytes = size;
        return CST_OK;
    }

    Digests hash;  // not initialised where nothing is hashed
};

class Raw : public Scheme {
public:
    int check(const cst_pk_job &job, size_t size) const override {
        if (job.in_len != size || job.out_cap < size) return CST_ERR_LENGTH;
        return CST_OK;
    }
    void encode(const cst_pk_job &job, const uint8_t *, uint8_t *encoded, size_t size) const override {
        memcpy(encoded, job.in, size);
    }
};

class Signature : public Scheme {
public:
    int check(const cst_pk_job &job, size_t size) const override {
        return job.out_cap < size ? CST_ERR_LENGTH : CST_OK;
    }
    void encode(const cst_pk_job &, const uint8_t *digest, uint8_t *encoded, size_t size) const override {
        pad_pkcs1(digest, hash.bytes(), encoded, size);
    }
    cst_piece hashed(const cst_pk_job &job) const override { return {const_cast<void *>(job.in), job.in_len}; }
};

class Probabilistic : public Signature {
public:
    bool is_pss() const override { return true; }
    int check(const cst_pk_job &job, size_t size) const override {
        if (job.signature_len > pss_salt_room(hash.bytes(), size)) return CST_ERR_LENGTH;
        return Signature::check(job, size);
    }
    void encode(const cst_pk_job &job, const uint8_t *digest, uint8_t *encoded, size_t size) const override {
        pad_pss(hash, digest, bytes_of(job.signature), job.signature_len, encoded, size);
    }
};

class Decryption : public Raw {
public:
    int check(const cst_pk_job &job, size_t size) const override {
        if (job.in_len != size || job.out_cap < most_result(size)) return CST_ERR_LENGTH;
        return CST_OK;
    }
    size_t most_result(size_t size) const override { return oaep_room(hash.bytes(), size); }
    int decode(const uint8_t *digest, uint8_t *result, size_t size, size_t *bytes) const override {
        return unpad_oaep(hash, digest, result, size, bytes) ? CST_OK : CST_ERR_AUTH;
    }
    cst_piece hashed(const cst_pk_job &job) const override {
        return {const_cast<void *>(job.signature), job.signature_len};
    }
};

struct Row {
    const char *name, *hash;
    std::unique_ptr<Scheme> (*make)();
    bool signs = false;  // a message's digest, which may be given in the message's place
};
template <typename Its>
std::unique_ptr<Scheme> make() {
    return std::make_unique<Its>();
}
constexpr Row ROWS[] = {
    {"rsa-private", nullptr, make<Raw>},
    {"rsa-sign-pkcs1-sha256", "sha256", make<Signature>, true},
    {"rsa-sign-pkcs1-sha384", "sha384", make<Signature>, true},
    {"rsa-sign-pkcs1-sha512", "sha512", make<Signature>, true},
    {"rsa-sign-pss-sha256", "sha256", make<Probabilistic>, true},
    {"rsa-decrypt-oaep-sha256", "sha256", make<Decryption>},
};

class RsaOperation : public PkOperation {
public:
    // digests: inputs are digests of messages.
    RsaOperation(const Row &row, bool digests) : row_(row), digests_(digests), scheme_(row.make()) {}
    int init(const cst_ctx &ctx, const char *kernel) override {
        if (int error = sha256_.init(ctx.engine, ctx.suites, "sha256")) return error;
        if (row_.hash)
            if (int error = scheme_->hash.init(ctx.engine, ctx.suites, row_.hash)) return error;
        return private_.init(ctx.engine, kernel);
    }
    bool takes_prepared() const override { return true; }
    int new_key(const void *der, size_t size, cst_pk_key *key) const override {
        return key->rsa.init(der, size, sha256_);
    }
    int check(const cst_pk_job &job) const override {
        if (!job.out) return CST_ERR_ARGUMENT;
        const RsaKey &key = job.prepared->rsa;
        if (key.pss_alone() && !scheme_->is_pss()) return CST_ERR_UNSUPPORTED;
        if (int error = scheme_->check(job, key.bytes())) return error;
        return length_error(!digests_ || job.in_len == scheme_->hash.bytes());
    }
    size_t written(const cst_pk_job &job) const override { return scheme_->most_result(job.prepared->rsa.bytes()); }
    int check_contents(const cst_pk_job &job) const override {
        if (row_.hash) return CST_OK;
        const RsaKey &key = job.prepared->rsa;
        uint64_t number[MOST_NUMBER_WORDS];
        read_number(bytes_of(job.in), key.bytes(), number, key.words());
        const bool below = is_less(number, key.n(), key.words());
        wipe(number, sizeof(number));
        return below ? CST_OK : CST_ERR_ARGUMENT;
    }

    void run(cst_pk_job *jobs, size_t n) const override {
        const size_t each = scheme_->hash.bytes();
        WipedVector<uint8_t> digests(each * n);
        if (each && n) {
            std::vector<Digests::Text> texts(n);
            for (size_t i = 0; i < n; i++) texts[i] = {{scheme_->hashed(jobs[i]), {}, {}}};
            if (digests_)
                for (size_t i = 0; i < n; i++) memcpy(&digests[each * i], jobs[i].in, each);
            else scheme_->hash.run(texts, digests.data());
        }
        Works works(n);
        WipedVector<RsaPrivate::Job> &some = works.jobs;
        std::vector<size_t> places;
        for (size_t i = 0; i < n; i++) {
            const RsaKey &key = jobs[i].prepared->rsa;
            uint8_t *const encoded = works.encoded(i);
            RsaPrivate::Job &work = some[places.size()];
            scheme_->encode(jobs[i], digests.data() + each * i, encoded, key.bytes());
            read_number(encoded, key.bytes(), work.in, key.words());
            work.key = &key;
            // A ciphertext as large as the modulus is one more that is wrong (RFC 8017, 7.1.2, 2.b).
            if (is_less(work.in, key.n(), key.words())) places.push_back(i);
            else works.status[i] = CST_ERR_AUTH;
        }
        private_.run(some.data(), places.size());
        for (size_t k = 0; k < places.size(); k++) {
            const size_t i = places[k], size = some[k].key->bytes();
            write_number(some[k].out, works.encoded(i), size);
            works.status[i] = !some[k].right
                                  ? CST_ERR_SELFTEST
                                  : scheme_->decode(digests.data() + each * i, works.encoded(i), size, &works.bytes[i]);
        }
        // From here on nothing is thrown.
        for (size_t i = 0; i < n; i++) {
            if (works.status[i]) jobs[i].status = works.status[i];
            else succeed(&jobs[i], works.encoded(i), works.bytes[i]);
        }
    }

private:
    struct Works {
        explicit Works(size_t n) : jobs(n), bytes(n), status(n), memory(n * MOST_RSA_BYTES) {}
        uint8_t *encoded(size_t i) { return memory.data() + i * MOST_RSA_BYTES; }
        WipedVector<RsaPrivate::Job> jobs;
        WipedVector<size_t> bytes;  // of results
        std::vector<int> status;
        WipedVector<uint8_t> memory;
    };

    const Row &row_;
    const bool digests_;
    const std::unique_ptr<Scheme> scheme_;
    Digests sha256_;
    RsaPrivate private_;
};

}  // namespace

std::unique_ptr<PkOperation> rsa_operation_of(const char *name) {
    for (const Row &row : ROWS) {
        if (!strcmp(name, row.name)) return std::make_unique<RsaOperation>(row, false);
        if (row.signs && name == std::string(row.name) + "-digest") return std::make_unique<RsaOperation>(row, true);
    }
    return nullptr;
}

}  // namespace cst
