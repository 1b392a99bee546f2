// Eight threads, one context, nothing made beforehand: lookups, kernels (the same and different ones), keys, choices,
// lists, and one suite of each construction by bursts, single calls, managers and cst_tls_seal, while other contexts
// come and go. `cst-parallel race` counts without a lock: ThreadSanitizer must report that one.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "cryptostitch/cryptostitch.h"

static std::atomic<int> failures{0};
#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            std::printf("line %d: %s\n", __LINE__, #condition); \
            failures++;                                         \
        }                                                       \
    } while (0)

static long unlocked = 0;
static const size_t BYTES = 512, JOBS = 24;

static int collect(const char *name, void *arg) {
    static_cast<std::vector<std::string> *>(arg)->push_back(name);
    return 0;
}

static const char *const SUITES[] = {
    "aes-128-cbc",
    "aes-128-ctr",
    "aes-128-ecb",
    "aes-128-xts",
    "chacha20",
    "aes-128-cbc+hmac-sha256-etm",
    "aes-128-gcm",
    "aes-128-ccm",
    "sha256",
    "hmac-sha512",
    "sha1",
    "aes-128-ctr+hmac-sha1-etm",
    "aes-128-cmac",
    "a128cbc-hs256",
    "hmac-md5",
    "chacha20-poly1305",
    "aes-128-cbc+hmac-sha1-tls",
    "aes-128-cbc+hmac-sha1-96",
};

// A suite, and everything that its jobs need.
struct Use {
    cst_suite_info info;
    cst_key *key = nullptr;
    std::vector<uint8_t> secret, mac, in;

    Use(cst_ctx *ctx, const char *name) : secret(64), mac(64, 'm'), in(BYTES, 'i') {
        const cst_suite *suite = nullptr;
        info.size = sizeof info;
        for (size_t i = 0; i < secret.size(); i++) secret[i] = uint8_t(i);
        if (cst_suite_get(ctx, name, &suite) != CST_OK || cst_suite_info_get(suite, &info) != CST_OK) return;
        const size_t mac_bytes = info.mac_key_max < 16 ? info.mac_key_max : 16;
        CHECK(cst_key_new(suite, info.key_bytes ? secret.data() : nullptr, info.key_bytes,
                          mac_bytes ? mac.data() : nullptr, mac_bytes, &key) == CST_OK);
    }
    ~Use() { cst_key_free(key); }
    bool ciphers() const { return info.kind == CST_CIPHER || info.kind == CST_AEAD; }

    cst_job job(size_t bytes, uint8_t *out, uint8_t *tag) const {
        cst_job j = {};
        j.size = sizeof j;
        j.key = key;
        j.direction = CST_SEAL;
        j.iv = secret.data(), j.iv_len = info.iv_bytes;
        if (!j.iv_len) j.iv = nullptr;
        if (info.aad_min) j.aad = secret.data(), j.aad_len = info.aad_min;
        j.in = in.data(), j.in_len = bytes;
        if (ciphers()) j.out = out, j.out_cap = bytes + info.expansion;
        if (info.tag_max) j.tag = tag, j.tag_len = info.tag_max;
        return j;
    }
};

// One burst of equal jobs and one of unequal ones, the same through a manager, and each by itself: all must agree.
static void use_suite(cst_ctx *ctx, const char *name, unsigned seed) {
    const Use use(ctx, name);
    if (!use.key) return;  // not on this CPU
    const size_t room = BYTES + 80;
    for (const size_t step : {size_t(0), size_t(16)}) {
        std::vector<uint8_t> out(2 * JOBS * room), tags(2 * JOBS * 64);
        std::vector<cst_job> jobs;
        for (size_t i = 0; i < 2 * JOBS; i++)
            jobs.push_back(use.job(BYTES - step * (i % JOBS), &out[room * i], &tags[64 * i]));
        CHECK(cst_burst(ctx, jobs.data(), JOBS) == CST_OK);
        cst_manager *manager = nullptr;
        const cst_manager_options options = {sizeof options, 5 + seed, 1000, 1024};
        CHECK(cst_manager_new(ctx, &options, &manager) == CST_OK);
        for (size_t i = JOBS; i < 2 * JOBS; i++) CHECK(cst_manager_submit(manager, &jobs[i]) == CST_OK);
        CHECK(cst_manager_flush(manager) >= 0);
        while (cst_manager_take(manager)) {}
        cst_manager_free(manager);
        CHECK(std::memcmp(out.data(), &out[JOBS * room], JOBS * room) == 0);
        CHECK(std::memcmp(tags.data(), &tags[JOBS * 64], JOBS * 64) == 0);
        for (size_t i = 0; i < JOBS; i += 7) {
            std::vector<uint8_t> alone(room), tag(64);
            const cst_job j = use.job(BYTES - step * i, alone.data(), tag.data());
            size_t written = 0;
            CHECK(cst_seal(j.key, j.iv, j.iv_len, j.aad, j.aad_len, j.in, j.in_len, j.out, j.out_cap, &written, j.tag,
                           j.tag_len) == CST_OK);
            CHECK(std::memcmp(alone.data(), &out[room * i], room) == 0);
            CHECK(std::memcmp(tag.data(), &tags[64 * i], 64) == 0);
            jobs[i].direction = CST_OPEN;
            if (use.ciphers()) {
                jobs[i].in = &out[room * i], jobs[i].in_len = jobs[i].out_len;
                jobs[i].out = alone.data(), jobs[i].out_cap = room;
            }
            CHECK(cst_burst(ctx, &jobs[i], 1) == CST_OK);
            if (use.ciphers()) CHECK(std::memcmp(alone.data(), use.in.data(), BYTES - step * i) == 0);
        }
    }
    if (!std::strstr(name, "-tls")) return;
    size_t records = 0, size = 0;
    CHECK(cst_tls_seal_size(use.key, BYTES, 100, &records, &size) == CST_OK);
    std::vector<uint8_t> ivs(16 * records, 'v'), stream(size);
    cst_tls_write write = {};
    write.size = sizeof write;
    write.key = use.key;
    write.type = 23, write.version = 0x0303, write.fragment = 100;
    write.iv = ivs.data(), write.iv_len = ivs.size();
    write.in = use.in.data(), write.in_len = BYTES;
    write.out = stream.data(), write.out_cap = size;
    CHECK(cst_tls_seal(&write) == CST_OK && write.out_len == size);
}

static void seal(cst_ctx *ctx, const cst_suite *suite, const std::vector<uint8_t> *expected) {
    cst_key *key = nullptr;
    CHECK(cst_key_new(suite, "0123456789abcdef", 16, "key of the MAC...", 16, &key) == CST_OK);
    if (!key) return;
    std::vector<uint8_t> in(BYTES, 'i'), out(BYTES * JOBS), tags(20 * JOBS);
    std::vector<cst_job> jobs(JOBS);
    for (size_t i = 0; i < JOBS; i++) {
        cst_job job = {sizeof(cst_job),
                       key,
                       CST_SEAL,
                       0,
                       "fedcba9876543210",
                       16,
                       nullptr,
                       0,
                       in.data(),
                       BYTES,
                       &out[BYTES * i],
                       BYTES,
                       0,
                       &tags[20 * i],
                       20,
                       nullptr,
                       0,
                       nullptr,
                       0};
        jobs[i] = job;
    }
    CHECK(cst_burst(ctx, jobs.data(), JOBS) == CST_OK);
    for (size_t i = 0; i < JOBS; i++) CHECK(std::memcmp(&tags[20 * i], expected->data(), 20) == 0);
    cst_key_free(key);
}

static void body(cst_ctx *ctx, unsigned seed, const std::vector<std::string> *kernels,
                 const std::vector<uint8_t> *expected, bool race) {
    if (race)
        for (int i = 0; i < 1000; i++) unlocked++;
    for (unsigned i = 0; i < 12; i++) {
        const cst_kernel *kernel = nullptr;
        const std::string &same = (*kernels)[i * 5 % kernels->size()],
                          &own = (*kernels)[(i * 8 + seed) % kernels->size()];
        for (const std::string &name : {same, own}) {
            const int error = cst_kernel_get(ctx, name.c_str(), &kernel);
            CHECK(error == CST_OK || error == CST_ERR_UNSUPPORTED);
            cst_kernel_info info;
            info.size = sizeof info;
            if (error == CST_OK)
                CHECK(cst_kernel_info_get(kernel, &info) == CST_OK && name == info.name && info.function);
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
    const size_t n_suites = sizeof SUITES / sizeof *SUITES;
    for (size_t i = 0; i < n_suites; i++) use_suite(ctx, SUITES[(i + seed / 2) % n_suites], seed);
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
        CHECK(cst_key_new(suite, "0123456789abcdef", 16, "key of the MAC...", 16, &key) == CST_OK);
        CHECK(cst_seal(key, "fedcba9876543210", 16, nullptr, 0, in.data(), BYTES, out.data(), BYTES, &n,
                       expected.data(), 20) == CST_OK);
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
