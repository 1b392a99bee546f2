// Public-key operations on contexts that lack CPU features, where the system gives executable memory, or none from the
// context, the operation or the burst on: each gives its result or an error, and none crashes.
//
//   lesser-public-keys TARGET ...    as in cst_options
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "../../bench/rsa_keys.cpp"
#include "cryptostitch/cryptostitch.h"
#include "refusals.hpp"

namespace {

bool &denied = refusals::no_pages;
typedef std::vector<unsigned char> Bytes;
enum Moment { NEVER, CONTEXT, OPERATION, BURST, MOMENTS };
const char *const MOMENT_NAMES[MOMENTS] = {"never", "from the context on", "from the operation on",
                                           "from the burst on"};
constexpr size_t MOST = 70, ROOM = 256;

struct Operation {
    const char *name;
    Bytes key, in, signature;
    size_t out;  // bytes of the result
    Bytes right;
};
Bytes der;

// Runs n equal jobs. Returns the error; *right: whether all outputs are the operation's, or without one OK.
int run(cst_pk *pk, const cst_pk_key *prepared, const Operation &its, size_t n, bool *right, Bytes *first = nullptr) {
    std::vector<cst_pk_job> jobs(n);
    std::vector<Bytes> out(n, Bytes(ROOM, 0xee));
    for (size_t i = 0; i < n; i++) {
        cst_pk_job &job = jobs[i];
        job = {};
        job.size = sizeof job;
        if (prepared) job.prepared = prepared;
        else job.key = its.key.data(), job.key_len = its.key.size();
        job.in = its.in.data(), job.in_len = its.in.size();
        if (its.out) job.out = out[i].data(), job.out_cap = ROOM;
        if (!its.signature.empty()) job.signature = its.signature.data(), job.signature_len = its.signature.size();
    }
    const int error = cst_pk_burst(pk, jobs.data(), n);
    *right = true;
    for (size_t i = 0; i < n; i++)
        *right &= error ? out[i] == Bytes(ROOM, 0xee)
                        : its.right.empty() || !memcmp(out[i].data(), its.right.data(), its.out);
    if (first) first->assign(out[0].begin(), out[0].begin() + long(its.out));
    return error;
}

bool acceptable(int error) {
    return error == CST_OK || error == CST_ERR_MEMORY || error == CST_ERR_JIT || error == CST_ERR_UNSUPPORTED;
}

// Returns how many operations there are, or -1 after a wrong answer.
int try_all(const char *target, Moment moment, const std::vector<Operation> &operations) {
    int found = 0;
    cst_ctx *ctx;
    cst_options options = {};
    options.size = sizeof options;
    options.target = target;
    for (const Operation &its : operations) {
        denied = moment == CONTEXT;
        int error = cst_ctx_new(&ctx, &options);
        if (error) return acceptable(error) ? found : -1;
        denied = moment == CONTEXT || moment == OPERATION;
        cst_pk *pk = nullptr;
        cst_pk_key *key = nullptr;
        error = cst_pk_new(ctx, its.name, nullptr, &pk);
        if (!error) {
            found++;
            const bool rsa = !strncmp(its.name, "rsa", 3);
            denied |= moment == BURST;
            if (rsa) error = cst_pk_key_new(pk, der.data(), der.size(), &key);
            for (const size_t n : {size_t(1), size_t(5), MOST}) {
                bool right = true;
                if (!error) error = run(pk, key, its, n, &right);
                if (right) continue;
                printf("%s, code denied %s, %s: a wrong result of %zu jobs\n", target, MOMENT_NAMES[moment], its.name,
                       n);
                return -1;
            }
        }
        denied = false;
        if (!acceptable(error)) {
            printf("%s, code denied %s, %s: %s\n", target, MOMENT_NAMES[moment], its.name, cst_error_text(error));
            return -1;
        }
        cst_pk_key_free(key);
        cst_pk_free(pk);
        cst_ctx_free(ctx);
    }
    return found;
}

Bytes pattern(size_t size, unsigned start) {
    Bytes out(size);
    for (size_t i = 0; i < size; i++) out[i] = static_cast<unsigned char>(start + 7 * i);
    return out;
}

// What is right by all features of this CPU.
std::vector<Operation> answers() {
    const Bytes secret = pattern(32, 1), message = pattern(100, 2), u = pattern(32, 3);
    std::vector<Operation> all = {{"x25519", secret, u, {}, 32, {}},
                                  {"ed25519-public-key", secret, message, {}, 32, {}},
                                  {"ed25519-sign", secret, message, {}, 64, {}},
                                  {"p256-public-key", secret, message, {}, 65, {}},
                                  {"ecdsa-p256-sign", secret, message, {}, 64, {}},
                                  {"ecdsa-p256-sign-digest", secret, secret, {}, 64, {}},
                                  {"ecdh-p256", secret, {}, {}, 32, {}},
                                  {"ed25519-verify", {}, message, {}, 0, {}},
                                  {"ed25519-verify-zip215", {}, message, {}, 0, {}},
                                  {"ecdsa-p256-verify", {}, message, {}, 0, {}},
                                  {"rsa-private", {}, Bytes(256, 1), {}, 256, {}},
                                  {"rsa-sign-pkcs1-sha256", {}, message, {}, 256, {}},
                                  {"rsa-sign-pss-sha256", {}, message, secret, 256, {}}};
    der = bench::rsa_key(2048);
    cst_ctx *ctx;
    if (cst_ctx_new(&ctx, nullptr)) exit(2);
    for (Operation &its : all) {
        if (!strcmp(its.name, "ecdh-p256")) its.in = all[3].right;
        if (!strncmp(its.name, "ed25519-v", 9)) its.key = all[1].right, its.signature = all[2].right;
        if (!strcmp(its.name, "ecdsa-p256-verify")) its.key = all[3].right, its.signature = all[4].right;
        cst_pk *pk = nullptr;
        cst_pk_key *key = nullptr;
        if (cst_pk_new(ctx, its.name, nullptr, &pk)) continue;  // without AVX-512 IFMA there is no RSA
        bool right;
        if (!strncmp(its.name, "rsa", 3) && cst_pk_key_new(pk, der.data(), der.size(), &key)) exit(2);
        if (run(pk, key, its, 1, &right, &its.right)) exit(2);
        cst_pk_key_free(key);
        cst_pk_free(pk);
    }
    cst_ctx_free(ctx);
    return all;
}

}  // namespace

int main(int argc, char **argv) {
    const std::vector<Operation> operations = answers();
    refusals::watching = true;
    int failures = 0;
    for (int i = 1; i < argc; i++)
        for (int moment = NEVER; moment < MOMENTS; moment++) {
            fflush(stdout);
            const pid_t child = fork();
            if (!child) {
                const int found = try_all(argv[i], Moment(moment), operations);
                if (found >= 0 && moment == NEVER) printf("%s: %d operations\n", argv[i], found);
                fflush(stdout);
                _exit(found < 0);
            }
            int status = 0;
            waitpid(child, &status, 0);
            if (WIFSIGNALED(status))
                printf("%s, code denied %s: signal %d\n", argv[i], MOMENT_NAMES[moment], WTERMSIG(status));
            failures += status != 0;
        }
    printf("%d failures\n", failures);
    return failures != 0;
}
