// What the library finds on the CPU that it runs on, what it chooses, and whether all of it is right: lines "features",
// "choice" (as dispatch_test prints them) and "test", words between tabs. With the argument believe-avx2 it is told of
// AVX2 whatever CPUID says, and runs such a kernel.

#include <cstdio>
#include <cstring>

#include "cryptostitch/cryptostitch.h"
#include "selftest/selftest.hpp"
#include "suite/suite.hpp"

static void told(const char *name, int result, void *) { printf("test\t%s\t%d\n", name, result); }

static int believe_avx2() {
    cst::Cpu cpu = cst::decode_cpu(cst::read_cpu());
    for (const char *name : {"avx", "avx2"}) cpu.features |= cst::feature_bit(name, strlen(name));
    cst::Engine engine;
    cst::Suites suites;
    if (engine.init(cpu, nullptr, false)) return 3;
    suites.derive(engine);
    return cst::selftest(engine, suites, "sha1_x8@avx2", told, nullptr) ? 3 : 0;
}

static void choose(cst_ctx *ctx, const char *name, int direction, size_t jobs, bool one_key) {
    const cst_suite *suite;
    cst_choice choice = {};
    choice.size = sizeof(choice);
    const int error = cst_suite_get(ctx, name, &suite);
    char target[16] = "";
    snprintf(target, sizeof(target), "%d", error);
    if (!error && cst_suite_choice(suite, direction, jobs, 16384, one_key, &choice))
        snprintf(target, sizeof(target), "?");
    const char *at = strrchr(choice.kernel, '@');
    printf("choice\t%s\t%s\t%zu\t16384\t%d\t%s\t%s\n", name, direction == CST_SEAL ? "seal" : "open", jobs,
           int(one_key), at ? at + 1 : target, choice.kernel);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "believe-avx2") == 0) return believe_avx2();
    cst_ctx *ctx = nullptr;
    if (cst_ctx_new(&ctx, nullptr)) return 1;
    cst_cpu_info cpu = {};
    cpu.size = sizeof(cpu);
    if (cst_ctx_cpu(ctx, &cpu)) return 1;
    printf("features\t%s\n", cpu.features);
    for (const char *name : {"sha1", "sha256", "md5", "aes-128-cbc", "aes-128-cbc+hmac-sha1-etm"})
        for (size_t jobs : {size_t(1), size_t(64)}) {
            choose(ctx, name, CST_SEAL, jobs, jobs == 1);
            if (strcmp(name, "aes-128-cbc") == 0) choose(ctx, name, CST_OPEN, jobs, jobs == 1);
        }
    cst_selftest(ctx, nullptr, told, nullptr);
    cst_ctx_free(ctx);
    return 0;
}
