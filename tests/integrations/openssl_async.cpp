// openssl-async ALGORITHM SEED OPERATIONS JOBS: public-key operations in as many ASYNC jobs at a time, on the provider;
// what they give is compared with `default`, or opened by it. JOBS 0: without ASYNC. Ends with 1 and a sentence at the
// first difference.
#include <openssl/async.h>
#include <openssl/ec.h>
#include <openssl/rsa.h>
#include <dlfcn.h>
#include <sys/select.h>

#include <functional>
#include <memory>
#include <thread>

#include "openssl_jobs.hpp"

namespace {

// libcrypto 4.0 leaves an error where a provider has signatures and no digests, and no other one may give these.
constexpr const char *OURS = "?provider=cryptostitch", *DEFAULT = "provider=default";

struct FreeKey {
    void operator()(EVP_PKEY *key) const { EVP_PKEY_free(key); }
};
typedef std::unique_ptr<EVP_PKEY, FreeKey> Key;
struct FreeContext {
    void operator()(EVP_PKEY_CTX *context) const { EVP_PKEY_CTX_free(context); }
};
typedef std::unique_ptr<EVP_PKEY_CTX, FreeContext> Context;

Context context_of(const Key &key, const char *side) {
    Context made(EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), side));
    must(made != nullptr, std::string("no context: ") + side);
    return made;
}

// What is done in an ASYNC job. Keys may be of either side.
class Algorithm {
public:
    explicit Algorithm(const std::string &name) : name_(name) {
        const bool is_large = name == "RSA-4096" || name == "RSA-8192";
        for (int i = 0; i < KEYS; i++) {
            if (is_large && i > 1) keys_.push_back(Key((EVP_PKEY_up_ref(keys_[i % 2].get()), keys_[i % 2].get())));
            else if (is_large && i) keys_.push_back(copied(keys_[0], OURS));
            else keys_.push_back(make(i % 2 ? OURS : DEFAULT));
        }
    }
    void operate(Random &random) const {
        const Key &key = keys_[random.below(KEYS)];
        if (name_ == "X25519" || name_.substr(0, 4) == "ECDH") agree(random, key, keys_[random.below(KEYS)]);
        else if (name_ == "ED25519" && sign_message_init && random.once_in(2)) sign_as_fetched(random, key);
        else if (name_ == "ED25519" || random.once_in(2)) sign_message(random, key);
        else sign_digest(random, key);
    }

private:
    static constexpr int KEYS = 6;

    Key make(const char *side) const {
        EVP_PKEY *made;
        if (name_ == "X25519" || name_ == "ED25519") made = EVP_PKEY_Q_keygen(nullptr, side, name_.c_str());
        else if (name_.substr(0, 3) == "RSA") made = make_rsa(side, atoi(name_.c_str() + 4));
        else made = EVP_PKEY_Q_keygen(nullptr, side, "EC", name_.c_str() + name_.find('-') + 1);
        must(made, "no key of " + name_ + ": " + side);
        return Key(made);
    }

    // Large ones have more primes, which are found sooner.
    static EVP_PKEY *make_rsa(const char *side, int bits) {
        const Context context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", side));
        EVP_PKEY *made = nullptr;
        must(EVP_PKEY_keygen_init(context.get()) > 0 && EVP_PKEY_CTX_set_rsa_keygen_bits(context.get(), bits) > 0 &&
                 EVP_PKEY_CTX_set_rsa_keygen_primes(context.get(), bits > 4096 ? 4 : 2) > 0 &&
                 EVP_PKEY_generate(context.get(), &made) > 0,
             "no key of RSA");
        return made;
    }
    static Key copied(const Key &key, const char *side) {
        OSSL_PARAM *params = nullptr;
        must(EVP_PKEY_todata(key.get(), EVP_PKEY_KEYPAIR, &params) > 0, "no parameters of a key");
        const Context context(EVP_PKEY_CTX_new_from_name(nullptr, EVP_PKEY_get0_type_name(key.get()), side));
        EVP_PKEY *its = nullptr;
        must(EVP_PKEY_fromdata_init(context.get()) > 0 &&
                 EVP_PKEY_fromdata(context.get(), &its, EVP_PKEY_KEYPAIR, params) > 0,
             "no key of parameters");
        OSSL_PARAM_free(params);
        return Key(its);
    }

    Octets secret(const Key &key, const Key &peer, const char *side, bool after_others) const {
        const Context context = context_of(key, side);
        must(EVP_PKEY_derive_init(context.get()) > 0, name_ + ": init");
        if (after_others) {  // a context that is used again, and copied
            Octets unused(200);
            size_t bytes = unused.size();
            must(EVP_PKEY_derive_set_peer(context.get(), keys_[0].get()) > 0, name_ + ": peer");
            must(EVP_PKEY_derive(context.get(), unused.data(), &bytes) > 0, name_ + ": derive");
        }
        const Context copy(EVP_PKEY_CTX_dup(context.get()));
        must(copy != nullptr, name_ + ": no copy");
        must(EVP_PKEY_derive_set_peer(copy.get(), peer.get()) > 0, name_ + ": peer");
        size_t bytes = 0;
        must(EVP_PKEY_derive(copy.get(), nullptr, &bytes) > 0 && bytes, name_ + ": length");
        Octets made(bytes + 7, 0xa5);
        bytes = made.size();
        must(EVP_PKEY_derive(copy.get(), made.data(), &bytes) > 0, name_ + ": derive");
        for (size_t i = bytes; i < made.size(); i++) must(made[i] == 0xa5, name_ + ": writes behind its output");
        made.resize(bytes);
        return made;
    }
    void agree(Random &random, const Key &peer, const Key &other) const {
        const Key made = random.once_in(3) ? make(OURS) : nullptr;  // in this ASYNC job
        const Key &key = made ? made : other;
        if (made)
            must(secret(made, peer, DEFAULT, false) == secret(peer, made, DEFAULT, false), name_ + ": a wrong key");
        const Octets ours = secret(key, peer, OURS, random.once_in(3));
        must(ours == secret(key, peer, DEFAULT, false), name_ + ": another secret");
    }

    // Options that both sides get.
    struct Scheme {
        const char *digest;
        int padding, salt;
        unsigned nonce;
    };
    Scheme scheme(Random &random) const {
        static constexpr const char *DIGESTS[] = {"SHA256", "SHA256", "SHA384", "SHA512", "SHA1", "SHA224", "SHA2-256"};
        Scheme its = {name_ == "ED25519" ? nullptr : DIGESTS[random.below(7)], 0, 0, unsigned(random.below(2))};
        if (name_.substr(0, 3) != "RSA") return its;
        its.padding = random.once_in(2) ? RSA_PKCS1_PADDING : RSA_PKCS1_PSS_PADDING;
        static constexpr int SALTS[] = {RSA_PSS_SALTLEN_DIGEST, 32, 20, RSA_PSS_SALTLEN_MAX};
        its.salt = SALTS[random.below(4)];
        return its;
    }
    // nonce 1: the signature is the same each time (RFC 6979), where the release has that.
    void set(EVP_PKEY_CTX *context, const Scheme &its) const {
        if (is_deterministic(context, its)) {
            unsigned one = 1;
            const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint("nonce-type", &one), OSSL_PARAM_END};
            must(EVP_PKEY_CTX_set_params(context, params) > 0, name_ + ": nonce-type");
        }
        if (!its.padding) return;
        must(EVP_PKEY_CTX_set_rsa_padding(context, its.padding) > 0, name_ + ": padding");
        must(its.padding != RSA_PKCS1_PSS_PADDING || EVP_PKEY_CTX_set_rsa_pss_saltlen(context, its.salt) > 0,
             name_ + ": salt");
    }

    bool is_deterministic(EVP_PKEY_CTX *context, const Scheme &its) const {
        return name_.substr(0, 2) == "EC" && its.nonce &&
               OSSL_PARAM_locate_const(EVP_PKEY_CTX_settable_params(context), "nonce-type");
    }

    // One with a wrong bit must be refused by both, and one of another length. (Of a long digest the end does not
    // count.)
    template <typename Verify>
    void check(Random &random, Octets signature, Octets text, Verify verify) const {
        for (const char *side : {OURS, DEFAULT})
            must(verify(side, signature, text) > 0, name_ + ": not verified by " + side);
        Octets &damaged = text.empty() || random.once_in(2) ? signature : text;
        if (random.once_in(4) && !signature.empty()) signature.pop_back();
        else damaged[random.below(std::min<size_t>(damaged.size(), 20))] ^= uint8_t(1 << random.below(8));
        const int ours = verify(OURS, signature, text);
        ERR_clear_error();  // the context of the other side must begin without an error
        const int wanted = verify(DEFAULT, signature, text);
        must_fail(ours == wanted && ours <= 0,
                  name_ + ": a damaged signature is " + std::to_string(ours) + ", not " + std::to_string(wanted));
    }

    void sign_message(Random &random, const Key &key) const {
        const Scheme its = scheme(random);
        const Octets text = random.octets(random.length(500));
        const bool in_pieces = its.digest && random.once_in(4);
        const auto with = [&](const char *side, bool signs, const std::function<int(EVP_MD_CTX *)> &then) {
            EVP_MD_CTX *const context = EVP_MD_CTX_new();
            EVP_PKEY_CTX *options = nullptr;
            const auto begin = signs ? EVP_DigestSignInit_ex : EVP_DigestVerifyInit_ex;
            must(begin(context, &options, its.digest, nullptr, side, key.get(), nullptr) > 0, name_ + ": init");
            set(options, its);
            const int result = then(context);
            EVP_MD_CTX_free(context);
            return result;
        };
        Octets signature(1200);
        bool is_same = name_ == "ED25519";
        with(OURS, true, [&](EVP_MD_CTX *context) {
            size_t bytes = 0;
            is_same |= is_deterministic(EVP_MD_CTX_get_pkey_ctx(context), its);
            must(EVP_DigestSign(context, nullptr, &bytes, text.data(), text.size()) > 0 && bytes, name_ + ": length");
            must(bytes <= signature.size(), name_ + ": length");
            signature.resize(bytes);
            if (in_pieces) {
                const size_t half = text.size() / 2;
                must(EVP_DigestSignUpdate(context, text.data(), half) > 0, name_ + ": update");
                must(EVP_DigestSignUpdate(context, text.data() + half, text.size() - half) > 0, name_ + ": update");
                must(EVP_DigestSignFinal(context, signature.data(), &bytes) > 0, name_ + ": final");
            } else {
                must(EVP_DigestSign(context, signature.data(), &bytes, text.data(), text.size()) > 0, name_ + ": sign");
            }
            signature.resize(bytes);
            return 1;
        });
        if (is_same) {
            Octets wanted(signature.size() + 8);
            size_t bytes = wanted.size();
            with(DEFAULT, true, [&](EVP_MD_CTX *context) {
                must(EVP_DigestSign(context, wanted.data(), &bytes, text.data(), text.size()) > 0, name_ + ": default");
                return 1;
            });
            wanted.resize(bytes);
            must(signature == wanted, name_ + ": another signature than default's");
        }
        check(random, signature, text, [&](const char *side, const Octets &tag, const Octets &message) {
            return with(side, false, [&](EVP_MD_CTX *context) {
                if (!in_pieces)
                    return EVP_DigestVerify(context, tag.data(), tag.size(), message.data(), message.size());
                must(EVP_DigestVerifyUpdate(context, message.data(), message.size()) > 0, name_ + ": update");
                return EVP_DigestVerifyFinal(context, tag.data(), tag.size());
            });
        });
    }

    // The functions for messages of a fetched algorithm, which OpenSSL has from 3.4 on.
    typedef int MessageInit(EVP_PKEY_CTX *, EVP_SIGNATURE *, const OSSL_PARAM *);
    static MessageInit *function(const char *name) {
        MessageInit *found;
        void *const its = dlsym(RTLD_DEFAULT, name);
        memcpy(&found, &its, sizeof(found));
        return found;
    }
    MessageInit *const sign_message_init = function("EVP_PKEY_sign_message_init"),
                       *const verify_message_init = function("EVP_PKEY_verify_message_init");
    void sign_as_fetched(Random &random, const Key &key) const {
        const Octets text = random.octets(random.length(500));
        const auto begin = [&](const char *side, MessageInit *init) {
            EVP_SIGNATURE *const fetched = EVP_SIGNATURE_fetch(nullptr, name_.c_str(), side);
            must(fetched, name_ + ": is not there");
            Context context = context_of(key, side);
            must(init(context.get(), fetched, nullptr) > 0, name_ + ": message init");
            EVP_SIGNATURE_free(fetched);
            return context;
        };
        Octets signatures[2];
        for (int i = 0; i < 2; i++) {
            const Context context = begin(i ? DEFAULT : OURS, sign_message_init);
            size_t bytes = 0;
            must(EVP_PKEY_sign(context.get(), nullptr, &bytes, text.data(), text.size()) > 0, name_ + ": length");
            signatures[i].resize(bytes);
            must(EVP_PKEY_sign(context.get(), signatures[i].data(), &bytes, text.data(), text.size()) > 0,
                 name_ + ": sign");
        }
        must(signatures[0] == signatures[1], name_ + ": another signature than default's");
        check(random, signatures[0], text, [&](const char *side, const Octets &tag, const Octets &message) {
            const Context context = begin(side, verify_message_init);
            return EVP_PKEY_verify(context.get(), tag.data(), tag.size(), message.data(), message.size());
        });
    }

    void sign_digest(Random &random, const Key &key) const {
        Scheme its = scheme(random);
        const bool without = its.padding != RSA_PKCS1_PSS_PADDING && random.once_in(3);
        if (without) its.nonce = 0;  // which wants to know the digest
        const EVP_MD *const digest =
            EVP_get_digestbyname(its.digest[3] == '2' && its.digest[4] == '-' ? "SHA256" : its.digest);
        const Octets text = random.octets(without ? 20 : size_t(EVP_MD_get_size(digest)));
        const auto begin = [&](const char *side, int (*init)(EVP_PKEY_CTX *)) {
            Context context = context_of(key, side);
            must(init(context.get()) > 0, name_ + ": init");
            set(context.get(), its);
            must(without || EVP_PKEY_CTX_set_signature_md(context.get(), digest) > 0, name_ + ": digest");
            return context;
        };
        const Context context = begin(OURS, EVP_PKEY_sign_init);
        size_t bytes = 0;
        must(EVP_PKEY_sign(context.get(), nullptr, &bytes, text.data(), text.size()) > 0, name_ + ": length");
        Octets signature(bytes);
        must(EVP_PKEY_sign(context.get(), signature.data(), &bytes, text.data(), text.size()) > 0, name_ + ": sign");
        signature.resize(bytes);
        if (!without && is_deterministic(context.get(), its)) {
            const Context other = begin(DEFAULT, EVP_PKEY_sign_init);
            Octets wanted(bytes + 8);
            bytes = wanted.size();
            must(EVP_PKEY_sign(other.get(), wanted.data(), &bytes, text.data(), text.size()) > 0, name_ + ": default");
            wanted.resize(bytes);
            must(signature == wanted, name_ + ": another signature than default's");
        }
        Octets more(text);
        more.push_back(0);
        Octets unused(1200);
        bytes = unused.size();
        if (!without)
            must_fail(EVP_PKEY_sign(context.get(), unused.data(), &bytes, more.data(), more.size()) <= 0,
                      name_ + ": a digest of another length is signed");
        check(random, signature, text, [&](const char *side, const Octets &tag, const Octets &message) {
            const Context verifying = begin(side, EVP_PKEY_verify_init);
            return EVP_PKEY_verify(verifying.get(), tag.data(), tag.size(), message.data(), message.size());
        });
    }

    const std::string name_;
    std::vector<Key> keys_;
};

struct Work {
    const Algorithm *algorithm;
    uint64_t seed;
    bool blocks;  // as code does that must not be interrupted
};

int operate(void *argument) {
    const Work *const work = *static_cast<Work **>(argument);
    Random random(work->seed);
    if (work->blocks) ASYNC_block_pause();
    work->algorithm->operate(random);
    if (work->blocks) ASYNC_unblock_pause();
    return 1;
}

// A place for ASYNC jobs, one after the other.
struct Place {
    ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
    ASYNC_JOB *job = nullptr;
    Work work = {};
    bool busy = false, given_up = false;
    ~Place() { ASYNC_WAIT_CTX_free(wait); }

    // Whether the job has ended.
    bool go_on() {
        Work *argument = &work;
        int result = 0;
        switch (ASYNC_start_job(&job, wait, &result, operate, &argument, sizeof(argument))) {
            case ASYNC_PAUSE: return false;
            case ASYNC_FINISH: must(result == 1, "an ASYNC job gave no result"); return true;
            default: fail("an ASYNC job could not be started");
        }
    }
};

// As event loops do: a job that is paused is gone on with when its descriptor can be read.
void run(const Algorithm &algorithm, uint64_t seed, long operations, size_t jobs) {
    Random random(seed);
    std::vector<Place> places(jobs);
    long begun = 0;
    size_t left = jobs;  // places that are not given up
    for (size_t busy = 0; begun < operations || busy;) {
        fd_set ready;
        FD_ZERO(&ready);
        int most = -1;
        for (Place &place : places) {
            if (!place.busy || place.given_up) continue;
            size_t n = 0;
            int descriptor;
            must(ASYNC_WAIT_CTX_get_all_fds(place.wait, nullptr, &n) > 0 && n == 1, "a paused job has no descriptor");
            ASYNC_WAIT_CTX_get_all_fds(place.wait, &descriptor, &n);
            FD_SET(descriptor, &ready);
            most = std::max(most, descriptor);
        }
        timeval limit = {20, 0};
        if (most >= 0) must(select(most + 1, &ready, nullptr, nullptr, &limit) > 0, "no paused job can ever go on");
        for (Place &place : places) {
            if (place.given_up) continue;
            if (place.busy) {
                size_t n = 1;
                int descriptor;
                ASYNC_WAIT_CTX_get_all_fds(place.wait, &descriptor, &n);
                if (!FD_ISSET(descriptor, &ready)) continue;
                if (random.once_in(400) && left > 4) {
                    place.given_up = true;
                    left--;
                    busy--;
                    continue;
                }
            } else {
                if (begun == operations) continue;
                place.work = {&algorithm, seed * 1000003 + uint64_t(begun++), random.once_in(50)};
            }
            const bool before = place.busy;
            place.busy = !place.go_on();
            busy += size_t(place.busy) - size_t(before);
        }
    }
}

}  // namespace

int main(int argc, char **argv) {
    GuardedStacks::use();
    if (argc < 5) fail("openssl-async ALGORITHM SEED OPERATIONS JOBS");
    const auto seed = uint64_t(atoll(argv[2]));
    const long operations = atol(argv[3]);
    const auto jobs = size_t(atol(argv[4]));
    const Algorithm algorithm(argv[1]);
    if (jobs) {
        std::thread other([&] {
            run(algorithm, seed + 1, operations / 2, jobs);
            ASYNC_cleanup_thread();
        });
        run(algorithm, seed, operations - operations / 2, jobs);
        other.join();
    } else {
        Random random(seed);
        for (long i = 0; i < operations; i++) algorithm.operate(random);
    }
    printf("%ld messages\n", operations);
    return 0;
}
