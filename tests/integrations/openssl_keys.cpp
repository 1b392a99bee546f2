// openssl-keys: what happens to keys and contexts of the provider's public-key operations (`async = yes`) beside single
// operations: a context that is used again, objects that are freed in another order, forks, parameters that are
// printed. Ends with 1 and a sentence at the first fault.
#include <openssl/bio.h>
#include <openssl/rsa.h>
#include <malloc.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>

#include "openssl_jobs.hpp"

namespace {

// libcrypto 4.0 leaves an error where a provider has signatures and no digests, and no other one may give these.
constexpr const char *OURS = "?provider=cryptostitch", *DEFAULT = "provider=default";

struct FreeKey {
    void operator()(EVP_PKEY *key) const { EVP_PKEY_free(key); }
};
typedef std::unique_ptr<EVP_PKEY, FreeKey> Key;

Key made(const char *side, const std::string &type) {
    EVP_PKEY *key = type == "RSA"  ? EVP_PKEY_Q_keygen(nullptr, side, "RSA", size_t(2048))
                    : type == "EC" ? EVP_PKEY_Q_keygen(nullptr, side, "EC", "P-256")
                                   : EVP_PKEY_Q_keygen(nullptr, side, type.c_str());
    must(key != nullptr, type + ": no key of " + side);
    return Key(key);
}

// The same key on the other side.
Key copied(const Key &key, const char *side) {
    OSSL_PARAM *params = nullptr;
    must(EVP_PKEY_todata(key.get(), EVP_PKEY_KEYPAIR, &params) > 0, "no parameters of a key");
    EVP_PKEY_CTX *const context = EVP_PKEY_CTX_new_from_name(nullptr, EVP_PKEY_get0_type_name(key.get()), side);
    EVP_PKEY *its = nullptr;
    must(EVP_PKEY_fromdata_init(context) > 0 && EVP_PKEY_fromdata(context, &its, EVP_PKEY_KEYPAIR, params) > 0,
         "no key of parameters");
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    return Key(its);
}

// Several ASYNC jobs at a time, which run by turns until all have ended.
class Jobs {
public:
    typedef std::function<void()> Work;
    explicit Jobs(std::vector<Work> all) : all_(std::move(all)), jobs_(all_.size()), ended_(all_.size()) {
        for (size_t i = 0; i < all_.size(); i++) waits_.push_back(ASYNC_WAIT_CTX_new());
    }
    ~Jobs() {
        for (ASYNC_WAIT_CTX *wait : waits_) ASYNC_WAIT_CTX_free(wait);
    }
    Jobs(const Jobs &) = delete;
    Jobs &operator=(const Jobs &) = delete;

    // Whether all have ended.
    bool turn() {
        bool all = true;
        for (size_t i = 0; i < all_.size(); i++) {
            if (ended_[i]) continue;
            const Work *work = &all_[i];
            int result = 0;
            const int state = ASYNC_start_job(&jobs_[i], waits_[i], &result, begin, &work, sizeof(work));
            must(state == ASYNC_PAUSE || state == ASYNC_FINISH, "an ASYNC job could not be started");
            ended_[i] = state == ASYNC_FINISH;
            all &= ended_[i];
        }
        return all;
    }
    void run() {
        while (!turn()) continue;
    }
    // How many paused jobs can go on.
    size_t ready() {
        size_t n = 0;
        for (size_t i = 0; i < all_.size(); i++) {
            int descriptor;
            size_t descriptors = 0;
            if (ended_[i]) continue;
            must(ASYNC_WAIT_CTX_get_all_fds(waits_[i], nullptr, &descriptors) > 0 && descriptors == 1,
                 "a paused job has no descriptor");
            ASYNC_WAIT_CTX_get_all_fds(waits_[i], &descriptor, &descriptors);
            pollfd its = {descriptor, POLLIN, 0};
            n += poll(&its, 1, 0) == 1;
        }
        return n;
    }

private:
    static int begin(void *argument) { return (**static_cast<const Work **>(argument))(), 1; }

    std::vector<Work> all_;
    std::vector<ASYNC_WAIT_CTX *> waits_;
    std::vector<ASYNC_JOB *> jobs_;
    std::vector<bool> ended_;
};

const char *digest_of(const std::string &type) { return type == "ED25519" ? nullptr : "SHA256"; }

bool is_verified(const Key &key, const std::string &type, const Octets &text, const Octets &signature) {
    EVP_MD_CTX *const context = EVP_MD_CTX_new();
    const bool right =
        EVP_DigestVerifyInit_ex(context, nullptr, digest_of(type), nullptr, DEFAULT, key.get(), nullptr) > 0 &&
        EVP_DigestVerify(context, signature.data(), signature.size(), text.data(), text.size()) > 0;
    EVP_MD_CTX_free(context);
    return right;
}

Octets signature_of(EVP_MD_CTX *context, const Octets &text, const char *what) {
    Octets signature(600);
    size_t bytes = signature.size();
    if (EVP_DigestSign(context, signature.data(), &bytes, text.data(), text.size()) <= 0) bytes = 0;
    if (!bytes) ERR_clear_error();
    must(bytes || what[0] == '?', std::string(what) + " is refused");
    signature.resize(bytes);
    return signature;
}

// A context signs, then goes on: EVP_DigestSignFinal(3) finalizes a copy. Later versions refuse it.
void go_on(const std::string &type) {
    const Key key = made(OURS, type);
    Random random(1);
    const auto work = [&, text = random.octets(100), more = random.octets(50)](bool in_pieces) {
        Octets both(text);
        both.insert(both.end(), more.begin(), more.end());
        EVP_MD_CTX *const context = EVP_MD_CTX_new();
        must(EVP_DigestSignInit_ex(context, nullptr, digest_of(type), nullptr, OURS, key.get(), nullptr) > 0, "init");
        must(is_verified(key, type, text, signature_of(context, text, "a signature")), type + ": a signature");
        const bool must_go_on = type != "ED25519" && OPENSSL_version_major() == 3 && OPENSSL_version_minor() < 4;
        if (!in_pieces || !must_go_on) {
            const Octets second = signature_of(context, more, must_go_on ? "a second signature" : "?");
            must(second.empty() || is_verified(key, type, type == "ED25519" ? more : both, second),
                 type + ": a second signature is not verified");
        } else {
            Octets second(600);
            size_t bytes = second.size();
            must(EVP_DigestSignUpdate(context, more.data(), more.size()) > 0, type + ": update behind a signature");
            must(EVP_DigestSignFinal(context, second.data(), &bytes) > 0, type + ": final behind a signature");
            second.resize(bytes);
            must(is_verified(key, type, both, second), type + ": final behind a signature is not verified");
        }
        EVP_MD_CTX_free(context);
    };
    for (const bool in_pieces : {false, true}) {
        work(in_pieces);
        Jobs(std::vector<Jobs::Work>(8, [&] { work(in_pieces); })).run();
    }
}

// A context outlives its key: what it signs with is freed with it, and later keys take that place.
void reuse() {
    const Key keys[] = {made(DEFAULT, "RSA"), made(DEFAULT, "RSA")};
    Random random(1);
    const Octets text = random.octets(100);
    for (int i = 0; i < 40; i++) {
        std::vector<Jobs::Work> all;
        for (int j = 0; j < 8; j++)
            all.push_back([&, &key = keys[(i + j / 4) % 2]] {
                const Key its = copied(key, OURS);
                EVP_MD_CTX *context = EVP_MD_CTX_new();
                must(EVP_DigestSignInit_ex(context, nullptr, "SHA256", nullptr, OURS, its.get(), nullptr) > 0, "init");
                const Octets first = signature_of(context, text, "a signature");
                must(is_verified(key, "RSA", text, first), "RSA: signed with another key");
                EVP_MD_CTX *const other = EVP_MD_CTX_new();
                must(EVP_DigestSignInit_ex(other, nullptr, "SHA256", nullptr, OURS, its.get(), nullptr) > 0, "init");
                must(EVP_PKEY_set_type(its.get(), EVP_PKEY_EC) > 0, "no other type");  // frees what was there
                EVP_MD_CTX_free(context);
                context = other;
                const Octets signature = signature_of(context, text, "a signature");
                EVP_MD_CTX_free(context);
                must(is_verified(key, "RSA", text, signature), "RSA: signed with another key");
            });
        Jobs(std::move(all)).run();
    }
}

// What is kept of a key goes with it, also if the context of an operation has the last reference.
void last_free() {
    const Key key = made(DEFAULT, "RSA");
    Random random(1);
    const Octets text = random.octets(100);
    constexpr size_t KEYS = 64;
    const auto allocated = [&](bool key_first) {
        std::vector<Jobs::Work> all;
        std::vector<Key> keys;
        std::vector<EVP_MD_CTX *> contexts;
        for (size_t i = 0; i < KEYS; i++) {
            keys.push_back(copied(key, OURS));
            EVP_MD_CTX *const context = EVP_MD_CTX_new();
            contexts.push_back(context);
            must(EVP_DigestSignInit_ex(context, nullptr, "SHA256", nullptr, OURS, keys[i].get(), nullptr) > 0, "init");
            all.push_back([&, context, i] {
                if (key_first) must(EVP_PKEY_set_type(keys[i].get(), EVP_PKEY_EC) > 0, "no other type");
                must(is_verified(key, "RSA", text, signature_of(context, text, "a signature")), "RSA: a signature");
            });
        }
        Jobs(std::move(all)).run();
        for (EVP_MD_CTX *context : contexts) EVP_MD_CTX_free(context);
        keys.clear();
        return size_t(mallinfo2().uordblks);
    };
    for (const bool key_first : {false, true}) allocated(key_first);
    const size_t before = allocated(false), after = allocated(true);
    must(after < before + KEYS * 500, "keys are kept that nobody can use any more: " + std::to_string(after - before));
}

// A child ends its copies of paused jobs: the parent's can go on as before, and jobs of the child have their own
// events.
void fork_paused(const std::string &type) {
    const Key key = made(OURS, type);
    Random random(1);
    const Octets text = random.octets(100);
    const auto work = [&] {
        for (int i = 0; i < 3; i++) {
            EVP_MD_CTX *const context = EVP_MD_CTX_new();
            must(EVP_DigestSignInit_ex(context, nullptr, digest_of(type), nullptr, OURS, key.get(), nullptr) > 0,
                 "init");
            must(is_verified(key, type, text, signature_of(context, text, "a signature")), type + ": a signature");
            EVP_MD_CTX_free(context);
        }
    };
    Jobs jobs(std::vector<Jobs::Work>(5, work));
    if (jobs.turn()) return;  // on this CPU they do not wait for each other
    const size_t before = jobs.ready();
    must(before == 5, "paused jobs are not ready");
    const pid_t child = fork();
    if (!child) {
        jobs.run();
        _exit(0);
    }
    int status;
    must(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status), "the child failed");
    must(jobs.ready() == before, "a child has taken its parent's events");
    jobs.run();
}

Octets printed(const Key &key, int (*print)(BIO *, const EVP_PKEY *, int, ASN1_PCTX *)) {
    BIO *const to = BIO_new(BIO_s_mem());
    char *text;
    const int done = print(to, key.get(), 0, nullptr);
    const long bytes = BIO_get_mem_data(to, &text);
    Octets its(text, text + bytes);
    its.push_back(uint8_t(done > 0));
    BIO_free(to);
    return its;
}

void print(const std::string &type) {
    const Key key = made(OURS, type), same = copied(key, DEFAULT);
    // Of algorithms that have none, libcrypto prints those of a key of another provider as an error.
    const Octets parameters = printed(key, EVP_PKEY_print_params);
    must(type == "EC" ? parameters == printed(same, EVP_PKEY_print_params) : !parameters.back(),
         type + ": other parameters");
    must(printed(key, EVP_PKEY_print_public) == printed(same, EVP_PKEY_print_public), type + ": another public key");
    must(printed(key, EVP_PKEY_print_private) == printed(same, EVP_PKEY_print_private), type + ": another private key");
    must(EVP_PKEY_eq(key.get(), same.get()) == 1 && EVP_PKEY_eq(same.get(), key.get()) == 1, type + ": not equal");
    must(EVP_PKEY_parameters_eq(key.get(), same.get()) == EVP_PKEY_parameters_eq(same.get(), same.get()),
         type + ": parameters are not equal");
    const Key copy(EVP_PKEY_dup(key.get()));
    must(copy && EVP_PKEY_eq(copy.get(), same.get()) == 1, type + ": a copy is not equal");
}

}  // namespace

int main(int argc, char **argv) {
    GuardedStacks::use();
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "reuse") reuse();
    if (what == "last-free") last_free();
    for (const char *type : {"RSA", "EC", "ED25519"}) {
        if (what == "go-on") go_on(type);
        else if (what == "fork") fork_paused(type);
        else if (what == "print") print(type);
        else if (what != "reuse" && what != "last-free") fail("openssl-keys go-on|reuse|last-free|fork|print");
    }
    if (what == "print") print("X25519");
    puts("all right");
    return 0;
}
