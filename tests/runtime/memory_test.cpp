// Every allocation fails once: the n-th malloc of each scenario, for n = 1, 2, ... until the scenario gets through untouched. Nothing may crash;
// an error is CST_ERR_MEMORY, and then nothing has been written; without an error the answer is right.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cryptostitch/cryptostitch.h"

static long countdown = -1;

extern "C" void *malloc(size_t size) {
    static void *(*real)(size_t) = nullptr;
    if (!real) real = reinterpret_cast<void *(*)(size_t)>(dlsym(RTLD_NEXT, "malloc"));
    if (countdown > 0 && --countdown == 0) return nullptr;
    return real(size);
}

static const char *kSuite = "aes-128-cbc+hmac-sha1-etm";
static const size_t kJobs = 20, kBytes = 1024;
static unsigned char in[kBytes], out[kJobs][kBytes], tag[kJobs][20], right_out[kBytes], right_tag[20];
static bool known = false;

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            countdown = -1;                                                       \
            printf("failed at line %d: %s\n", __LINE__, #condition);              \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

// From a new context to a burst. Returns the first error.
static int scenario(long fail_at) {
    cst_ctx *ctx = nullptr;
    const cst_suite *suite = nullptr;
    cst_key *key = nullptr;
    cst_job jobs[kJobs] = {};
    memset(out, 'o', sizeof(out));
    memset(tag, 't', sizeof(tag));
    countdown = fail_at;
    int error = cst_ctx_new(&ctx, nullptr);
    if (!error) error = cst_suite_get(ctx, kSuite, &suite);
    if (!error) error = cst_key_new(suite, "0123456789abcdef", 16, "mac key", 7, &key);
    if (!error) {
        for (size_t i = 0; i < kJobs; i++) {
            jobs[i].size = sizeof(cst_job);
            jobs[i].key = key;
            jobs[i].iv = "fedcba9876543210";
            jobs[i].iv_len = 16;
            jobs[i].in = in;
            jobs[i].in_len = kBytes;
            jobs[i].out = out[i];
            jobs[i].out_cap = kBytes;
            jobs[i].tag = tag[i];
            jobs[i].tag_len = 20;
        }
        error = cst_burst(ctx, jobs, kJobs);
    }
    countdown = -1;
    if (error) {
        for (size_t i = 0; i < kJobs; i++)
            for (size_t j = 0; j < kBytes; j++) CHECK(out[i][j] == 'o' && tag[i][j % 20] == 't');
        for (size_t i = 0; i < kJobs; i++) CHECK(jobs[i].status == 0 || jobs[i].status == 1);
    } else {
        if (!known) {
            memcpy(right_out, out[0], kBytes);
            memcpy(right_tag, tag[0], 20);
            known = true;
        }
        for (size_t i = 0; i < kJobs; i++) CHECK(memcmp(out[i], right_out, kBytes) == 0 && memcmp(tag[i], right_tag, 20) == 0);
    }
    cst_key_free(key);
    cst_ctx_free(ctx);
    return error;
}

int main() {
    for (size_t i = 0; i < kBytes; i++) in[i] = static_cast<unsigned char>(i * 7);
    CHECK(scenario(-1) == CST_OK);
    long refused = 0, survived = 0;
    for (long n = 1; n < 1000000; n += n < 200 ? 1 : 1 + n / 50) {  // each of the first ones, then samples
        countdown = -1;
        const int error = scenario(n);
        CHECK(error == CST_OK || error == CST_ERR_MEMORY);
        (error ? refused : survived)++;
        if (!error && survived > 40) break;
    }
    printf("%ld refused, %ld went another way\n", refused, survived);
    return refused ? 0 : 1;
}
