// Everything that the library asks the system for is refused once: in each step of a scenario (context, pack, kernels,
// suite, key, burst) the n-th call of each kind, for every n until the step no longer gets there. (Making a context
// takes thousands of blocks: after the first 300 the quick form samples.) Nothing may crash; a refusal ends in an error
// code or another way to the right answer; after CST_ERR_MEMORY nothing has been written; at the end no block, mapping
// or descriptor is left; and the same context then does what it did not do.
//
//   cst-faults SCENARIO PACK [leak | write]    the third word seeds a bug that must be reported
#include <dirent.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "cryptostitch/cryptostitch.h"
#include "refusals.hpp"

namespace {

using namespace refusals;

enum Step { CONTEXT, PACK, KERNEL, SUITE_GET, KEY, BURST, STEPS };
const char *const STEP_NAMES[STEPS] = {"context", "pack", "kernel", "suite", "key", "burst"};
Step refused_step = STEPS;

void now_in(Step step) { armed = step == refused_step; }

const char *const SUITE = "aes-128-cbc+hmac-sha1-etm";
const size_t JOBS = 20, BYTES = 1024;
unsigned char in[BYTES], out[JOBS][BYTES], tag[JOBS][20], right_out[BYTES], right_tag[20], right_last_tag[20];
unsigned char *pack = nullptr;
size_t pack_bytes = 0;
bool known = false, seed_leak = false, seed_write = false;

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            watching = false;                                                              \
            printf("line %d: %s (%s: %s %ld refused)\n", __LINE__, #condition,             \
                   refused_step == STEPS ? "" : STEP_NAMES[refused_step],                  \
                   refused_kind == KINDS ? "nothing" : NAMES[refused_kind], refused_call); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

int descriptors() {
    DIR *folder = opendir("/proc/self/fd");
    int n = 0;
    while (folder && readdir(folder)) n++;
    if (folder) closedir(folder);
    return n;
}

int count(const char *, void *arg) {
    ++*static_cast<long *>(arg);
    return 0;
}

long names(const cst_ctx *ctx, int kind) {
    long n = 0;
    return cst_list(ctx, kind, count, &n) == CST_OK ? n : -1;
}

// The last is shorter: bursts of messages that are alike need no memory.
int seal(cst_ctx *ctx, const cst_key *key) {
    cst_job jobs[JOBS] = {};
    const auto bytes = [](size_t i) { return i + 1 < JOBS ? BYTES : BYTES - 16; };
    memset(out, 'o', sizeof out);
    memset(tag, 't', sizeof tag);
    for (size_t i = 0; i < JOBS; i++) {
        cst_job job = {sizeof(cst_job),
                       key,
                       CST_SEAL,
                       0,
                       "fedcba9876543210",
                       16,
                       nullptr,
                       0,
                       in,
                       bytes(i),
                       out[i],
                       BYTES,
                       0,
                       tag[i],
                       20,
                       nullptr,
                       0,
                       nullptr,
                       0};
        jobs[i] = job;
    }
    const int error = cst_burst(ctx, jobs, JOBS);
    if (error && seed_write) out[3][17] = 0;
    for (size_t i = 0; i < JOBS; i++) {
        if (error) {
            CHECK(jobs[i].status == 1);
            for (size_t j = 0; j < BYTES; j++) CHECK(out[i][j] == 'o' && tag[i][j % 20] == 't');
        } else {
            if (!known)
                memcpy(right_out, out[0], BYTES), memcpy(right_tag, tag[0], 20),
                    memcpy(right_last_tag, tag[JOBS - 1], 20), known = true;
            CHECK(memcmp(out[i], right_out, bytes(i)) == 0 &&
                  memcmp(tag[i], i + 1 < JOBS ? right_tag : right_last_tag, 20) == 0);
        }
    }
    return error;
}

struct Made {
    cst_ctx *ctx = nullptr;
    const cst_suite *suite = nullptr;
    cst_key *key = nullptr;
    const cst_kernel *kernel = nullptr;
};

bool acceptable(int error) {
    return error == CST_OK || error == CST_ERR_MEMORY || error == CST_ERR_JIT || error == CST_ERR_UNSUPPORTED;
}

// Each step again while it fails, at most twice: what failed under the refusal must work without it.
template <typename Function>
void twice(Step step, Function function, int *refusals) {
    now_in(step);
    const int error = function();
    CHECK(acceptable(error));
    if (error != CST_OK) {
        ++*refusals;
        // a kernel without a static twin stays away when the context began without executable memory
        const int again = function();
        CHECK(again == CST_OK || (step == KERNEL && again == CST_ERR_JIT));
    }
    now_in(STEPS);
}

int use(bool load, bool kernels) {
    Made m;
    int refusals = 0;
    cst_options options = {sizeof(cst_options), CST_ALLOW_PACKS, nullptr};
    twice(
        CONTEXT,
        [&] {
            const int error = cst_ctx_new(&m.ctx, &options);
            CHECK((error == CST_OK) == (m.ctx != nullptr));
            return error;
        },
        &refusals);
    if (load) {
        twice(
            PACK,
            [&] {
                long before[3], after[3];
                const bool was = watching;
                watching = false;
                for (int k = 0; k < 3; k++) before[k] = names(m.ctx, k + 1);
                watching = was;
                const int error = cst_pack_load(m.ctx, pack, pack_bytes);
                watching = false;
                for (int k = 0; k < 3; k++) after[k] = names(m.ctx, k + 1);
                watching = was;
                if (error) CHECK(memcmp(before, after, sizeof before) == 0);  // the context is as it was
                else CHECK(after[1] > before[1]);
                return error;
            },
            &refusals);
    }
    if (kernels) {
        for (const char *name : {"sha1_x4@sse", "sha256_x4@sse", "sha256_x8@sse"})
            twice(
                KERNEL,
                [&] {
                    const int error = cst_kernel_get(m.ctx, name, &m.kernel);
                    return error == CST_ERR_NAME ? CST_OK : error;
                },
                &refusals);
    }
    twice(
        SUITE_GET,
        [&] {
            const int error = cst_suite_get(m.ctx, SUITE, &m.suite);
            CHECK((error == CST_OK) == (m.suite != nullptr));
            return error;
        },
        &refusals);
    twice(
        KEY,
        [&] {
            const int error = cst_key_new(m.suite, "0123456789abcdef", 16, "key of the MAC...", 16, &m.key);
            CHECK((error == CST_OK) == (m.key != nullptr));
            return error;
        },
        &refusals);
    twice(BURST, [&] { return seal(m.ctx, m.key); }, &refusals);
    cst_key_free(m.key);
    cst_ctx_free(m.ctx);
    if (seed_leak && refusals) (void)!malloc(1);
    return refusals;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    setvbuf(stdout, nullptr, _IOLBF, 4096);
    const bool load = strcmp(argv[1], "pack") == 0, kernels = strcmp(argv[1], "kernels") == 0;
    no_mprotect = strcmp(argv[1], "sealed") == 0;
    seed_leak = argc > 3 && strcmp(argv[3], "leak") == 0;
    seed_write = argc > 3 && strcmp(argv[3], "write") == 0;
    FILE *file = fopen(argv[2], "rb");
    static unsigned char buffer[1 << 20];
    if (file) pack_bytes = fread(pack = buffer, 1, sizeof buffer, file), fclose(file);
    for (size_t i = 0; i < BYTES; i++) in[i] = static_cast<unsigned char>(i * 7);
    watching = true;
    CHECK(use(load, kernels) == 0);
    watching = false;
    const bool every = getenv("CRYPTOSTITCH_LONG") != nullptr;
    for (int kind = 0; kind < KINDS; kind++) {
        for (int step = 0; step < STEPS; step++) {
            long refused = 0, another_way = 0;
            for (long n = 1;; n += n < 300 || every ? 1 : 1 + n / 40) {
                const long blocks_before = blocks, pages_before = pages;
                const int descriptors_before = descriptors();
                refused_kind = Kind(kind), refused_step = Step(step), refused_call = n, calls = 0;
                watching = true;
                const int refusals = use(load, kernels);
                watching = false;
                CHECK(blocks == blocks_before && pages == pages_before && descriptors() == descriptors_before);
                if (calls < n) break;
                (refusals ? refused : another_way)++;
            }
            if (refused + another_way)
                printf("%s, %s: %ld refusals became errors, %ld went another way\n", STEP_NAMES[step], NAMES[kind],
                       refused, another_way);
        }
    }
    puts("ok");
    return 0;
}
