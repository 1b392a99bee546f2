// Forks before, during and after use: `cst-forks ROUNDS [lock]`. While the main thread forks, two others assemble and
// publish kernels, make keys and run bursts in the same context; every child must be able to use it, and the parent
// afterwards. `lock`: a lock that is held at the fork and that the child wants, which must be reported.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "cryptostitch/cryptostitch.h"

namespace {

std::vector<std::string> kernels;
const unsigned char ABC[20] = {0xa9, 0x99, 0x3e, 0x36, 0x47, 0x06, 0x81, 0x6a, 0xba, 0x3e,
                               0x25, 0x71, 0x78, 0x50, 0xc2, 0x6c, 0x9c, 0xd0, 0xd8, 0x9d};  // FIPS 180-4, SHA-1("abc")

int collect(const char *name, void *) {
    kernels.push_back(name);
    return 0;
}

bool use(cst_ctx *ctx, unsigned seed) {
    const cst_kernel *kernel = nullptr;
    for (unsigned i = 0; i < 3; i++) {
        const int error = cst_kernel_get(ctx, kernels[(seed * 7 + i * 31) % kernels.size()].c_str(), &kernel);
        if (error != CST_OK && error != CST_ERR_UNSUPPORTED && error != CST_ERR_JIT) return false;
    }
    const cst_suite *suite = nullptr;
    cst_key *key = nullptr;
    unsigned char tags[40][20] = {};
    if (cst_suite_get(ctx, "sha1", &suite) != CST_OK || cst_key_new(suite, nullptr, 0, nullptr, 0, &key) != CST_OK)
        return false;
    std::vector<cst_job> jobs;
    for (auto &tag : tags) {
        cst_job job = {sizeof(cst_job), key, CST_SEAL, 0,   nullptr, 0,       nullptr, 0,       "abc", 3,
                       nullptr,         0,   0,        tag, 20,      nullptr, 0,       nullptr, 0};
        jobs.push_back(job);
    }
    bool right = cst_burst(ctx, jobs.data(), jobs.size()) == CST_OK;
    for (auto &tag : tags) right = right && std::memcmp(tag, ABC, 20) == 0;
    cst_key_free(key);
    return right;
}

template <typename Function>
bool in_child(unsigned seconds, Function function) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(seconds);
        _exit(function() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0) std::printf("child: status %x\n", status);
    return status == 0;
}

bool own_context() {
    cst_ctx *own = nullptr;
    const bool works = cst_ctx_new(&own, nullptr) == CST_OK && use(own, 1);
    cst_ctx_free(own);
    return works;
}

pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

}  // namespace

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
    cst_ctx *ctx = nullptr;
    if (cst_ctx_new(&ctx, nullptr) != CST_OK) return 2;
    cst_list(ctx, CST_NAME_KERNEL, collect, nullptr);
    if (argc > 2) {
        pthread_mutex_lock(&held);
        return in_child(1, [] { return pthread_mutex_lock(&held) == 0; }) ? 0 : 1;
    }
    int failures = !in_child(30, [&] { return use(ctx, 0) && own_context(); });  // before use
    for (int round = 0; round < rounds; round++) {
        cst_ctx *cold = nullptr;
        if (cst_ctx_new(&cold, nullptr) != CST_OK) return 2;
        std::atomic<bool> stop{false};
        std::atomic<int> begun{0}, wrong{0};
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < 2; t++)
            threads.emplace_back([&, t] {
                for (unsigned i = 0; !stop; i++) {
                    begun++;
                    wrong += !use(cold, t * 1000 + i) || (i % 8 == 7 && !own_context());
                }
            });
        while (begun < 2) std::this_thread::yield();
        for (unsigned i = 0; i < 4; i++)
            failures += !in_child(30, [&] { return use(cold, i * 13) && own_context(); });  // during use
        stop = true;
        for (std::thread &thread : threads) thread.join();
        failures += wrong != 0;
        failures += !in_child(30, [&] { return use(cold, 5) && own_context(); });  // after use
        failures += !use(cold, 9);
        // a child that frees what it inherited leaves the parent's alone
        failures += !in_child(30, [&] {
            cst_ctx_free(cold);
            return own_context();
        });
        failures += !use(cold, 9);
        cst_ctx_free(cold);
    }
    cst_ctx_free(ctx);
    std::printf("%d rounds: %s\n", rounds, failures ? "bad" : "ok");
    return failures != 0;
}
