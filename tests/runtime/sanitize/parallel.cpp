// Eight threads, one context, nothing made beforehand: lookups, kernels (the same and different ones), keys, choices, lists and bursts at once,
// while other contexts come and go. `cst-parallel race` counts without a lock: ThreadSanitizer must report that one.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "cryptostitch/cryptostitch.h"

static std::atomic<int> failures{0};
#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            std::printf("line %d: %s\n", __LINE__, #condition); \
            failures++; \
        } \
    } while (0)

static long unlocked = 0;
static const size_t BYTES = 512, JOBS = 24;

static int collect(const char *name, void *arg) {
    static_cast<std::vector<std::string> *>(arg)->push_back(name);
    return 0;
}

static void seal(cst_ctx *ctx, const cst_suite *suite, const std::vector<uint8_t> *expected) {
    cst_key *key = nullptr;
    CHECK(cst_key_new(suite, "0123456789abcdef", 16, "mac key", 7, &key) == CST_OK);
    if (!key) return;
    std::vector<uint8_t> in(BYTES, 'i'), out(BYTES * JOBS), tags(20 * JOBS);
    std::vector<cst_job> jobs(JOBS);
    for (size_t i = 0; i < JOBS; i++) {
        cst_job job = {sizeof(cst_job), key, CST_SEAL, 0, "fedcba9876543210", 16, nullptr, 0, in.data(), BYTES, &out[BYTES * i], BYTES, 0, &tags[20 * i], 20, nullptr, 0, nullptr, 0};
        jobs[i] = job;
    }
    CHECK(cst_burst(ctx, jobs.data(), JOBS) == CST_OK);
    for (size_t i = 0; i < JOBS; i++) CHECK(std::memcmp(&tags[20 * i], expected->data(), 20) == 0);
    cst_key_free(key);
}

static void body(cst_ctx *ctx, unsigned seed, const std::vector<std::string> *kernels, const std::vector<uint8_t> *expected, bool race) {
    if (race)
        for (int i = 0; i < 1000; i++) unlocked++;
    for (unsigned i = 0; i < 12; i++) {
        const cst_kernel *kernel = nullptr;
        const std::string &same = (*kernels)[i * 5 % kernels->size()], &own = (*kernels)[(i * 8 + seed) % kernels->size()];
        for (const std::string &name : {same, own}) {
            const int error = cst_kernel_get(ctx, name.c_str(), &kernel);
            CHECK(error == CST_OK || error == CST_ERR_UNSUPPORTED);
            cst_kernel_info info;
            info.size = sizeof info;
            if (error == CST_OK) CHECK(cst_kernel_info_get(kernel, &info) == CST_OK && name == info.name && info.function);
        }
    }
    const cst_suite *suite = nullptr;
    CHECK(cst_suite_get(ctx, "aes-128-cbc+hmac-sha1-etm", &suite) == CST_OK);
    for (unsigned i = 0; suite && i < 3; i++) {
        seal(ctx, suite, expected);
        cst_choice choice;
        choice.size = sizeof choice;
        CHECK(cst_suite_choice(suite, CST_SEAL, 1 + seed * 3 + i, 1024, 1, &choice) == CST_OK);
        char text[200];
        CHECK(cst_nearest(ctx, CST_NAME_KERNEL, "sha1_x5@avx", text, sizeof text) == CST_OK && text[0]);
        std::vector<std::string> names;
        CHECK(cst_list(ctx, CST_NAME_SUITE, collect, &names) == 0 && !names.empty());
        cst_cpu_info cpu;
        cpu.size = sizeof cpu;
        CHECK(cst_ctx_cpu(ctx, &cpu) == CST_OK);
    }
    cst_ctx *other = nullptr;
    CHECK(cst_ctx_new(&other, nullptr) == CST_OK);
    CHECK(cst_suite_get(other, "sha256", &suite) == CST_OK);
    cst_ctx_free(other);
}

int main(int argc, char **argv) {
    const bool race = argc == 2 && std::strcmp(argv[1], "race") == 0;
    std::vector<std::string> kernels;
    std::vector<uint8_t> expected(20);
    cst_ctx *ctx = nullptr;
    CHECK(cst_ctx_new(&ctx, nullptr) == CST_OK);
    cst_list(ctx, CST_NAME_KERNEL, collect, &kernels);
    {
        const cst_suite *suite = nullptr;
        cst_key *key = nullptr;
        std::vector<uint8_t> in(BYTES, 'i'), out(BYTES);
        size_t n = 0;
        CHECK(cst_suite_get(ctx, "aes-128-cbc+hmac-sha1-etm", &suite) == CST_OK);
        CHECK(cst_key_new(suite, "0123456789abcdef", 16, "mac key", 7, &key) == CST_OK);
        CHECK(cst_seal(key, "fedcba9876543210", 16, nullptr, 0, in.data(), BYTES, out.data(), BYTES, &n, expected.data(), 20) == CST_OK);
        cst_key_free(key);
    }
    cst_ctx_free(ctx);
    CHECK(cst_ctx_new(&ctx, nullptr) == CST_OK);  // the caches are cold again
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 8; seed++) threads.emplace_back(body, ctx, seed, &kernels, &expected, race);
    for (std::thread &thread : threads) thread.join();
    cst_ctx_free(ctx);
    if (race) std::printf("counted %ld\n", unlocked);
    if (failures == 0) std::puts("ok");
    return failures != 0;
}
