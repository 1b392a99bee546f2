/* Jobs of every kind through the public interface, for CPUs that have less than this one: lines of name, number and
 * result in hexadecimal, between tabs. A result that is an error is its number. The argument is a part: `features`,
 * `selftest`, `seals`, `digests`, or a public-key operation. It runs on a thread, whose stack is what the C library
 * gives one (musl: 128 KiB). runtime/lesser.py computes the same. */
#include <cryptostitch/cryptostitch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = 20, MOST = 1500, ROOM = MOST + 64, TAG = 16 };

static size_t length_of(size_t job) { return job * 79 % MOST; }

static void fill(uint8_t *bytes, size_t n, size_t seed) {
    for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)(31 * seed + 7 * i + (i >> 8) + 1);
}

static void print_error(const char *name, size_t number, int error) { printf("%s\t%zu\t%d\n", name, number, error); }

static void print_bytes(const char *name, size_t number, const uint8_t *a, size_t a_bytes, const uint8_t *b,
                        size_t b_bytes) {
    printf("%s\t%zu\t0x", name, number);
    for (size_t i = 0; i < a_bytes; i++) printf("%02x", a[i]);
    for (size_t i = 0; i < b_bytes; i++) printf("%02x", b[i]);
    printf("\n");
}

static void told(const char *name, int result, void *count) {
    if (result == CST_OK) ++*(size_t *)count;
    else if (result != CST_ERR_UNSUPPORTED) print_error(name, 0, result);
}

static void run_selftest(cst_ctx *ctx) {
    size_t right = 0;
    const int error = cst_selftest(ctx, NULL, told, &right);
    print_error("selftest", right, error);
}

/* Seals, opens what was sealed, and opens it once more with a wrong tag. */
static void run_seals(cst_ctx *ctx, const char *name) {
    static uint8_t texts[JOBS][MOST], outs[JOBS][ROOM], back[JOBS][ROOM], ivs[JOBS][16], tags[JOBS][TAG];
    static cst_job jobs[JOBS];
    uint8_t key_bytes[32], mac_key[32];
    const cst_suite *suite;
    cst_suite_info info = {.size = sizeof(info)};
    cst_key *key;
    fill(key_bytes, sizeof(key_bytes), 1);
    fill(mac_key, sizeof(mac_key), 2);
    int error = cst_suite_get(ctx, name, &suite);
    if (!error) error = cst_suite_info_get(suite, &info);
    const size_t mac_bytes = !error && info.mac_key_max ? sizeof(mac_key) : 0;
    if (!error) error = cst_key_new(suite, key_bytes, info.key_bytes, mac_bytes ? mac_key : NULL, mac_bytes, &key);
    if (error) {
        print_error(name, 0, error);
        return;
    }
    for (size_t i = 0; i < JOBS; i++) {
        const size_t n = length_of(i) / 16 * 16;
        fill(texts[i], n, i);
        fill(ivs[i], info.iv_bytes, i);
        const cst_job job = {.size = sizeof(job),
                             .key = key,
                             .direction = CST_SEAL,
                             .iv = ivs[i],
                             .iv_len = info.iv_bytes,
                             .in = texts[i],
                             .in_len = n,
                             .out = outs[i],
                             .out_cap = ROOM,
                             .tag = tags[i],
                             .tag_len = TAG};
        jobs[i] = job;
    }
    error = cst_burst(ctx, jobs, JOBS);
    for (size_t i = 0; i < JOBS; i++) {
        if (error || jobs[i].status) print_error(name, i, error ? error : jobs[i].status);
        else print_bytes(name, i, outs[i], jobs[i].out_len, tags[i], TAG);
    }
    for (size_t i = 0; i < JOBS; i++) {
        jobs[i].direction = CST_OPEN;
        jobs[i].in = outs[i];
        jobs[i].in_len = jobs[i].out_len;
        jobs[i].out = back[i];
    }
    if (cst_burst(ctx, jobs, JOBS)) printf("%s\topened\twrong\n", name);
    for (size_t i = 0; i < JOBS; i++)
        if (memcmp(back[i], texts[i], length_of(i) / 16 * 16) != 0) printf("%s\topened\twrong\n", name);
    tags[7][0] ^= 1;
    if (cst_burst(ctx, jobs, JOBS) != CST_ERR_AUTH || jobs[7].status != CST_ERR_AUTH || jobs[8].status)
        printf("%s\tforged\ttaken\n", name);
    cst_key_free(key);
}

static void run_digests(cst_ctx *ctx, const char *name) {
    static uint8_t texts[JOBS][MOST], tags[JOBS][64];
    static cst_job jobs[JOBS];
    const cst_suite *suite;
    cst_suite_info info = {.size = sizeof(info)};
    cst_key *key;
    int error = cst_suite_get(ctx, name, &suite);
    if (!error) error = cst_suite_info_get(suite, &info);
    if (!error) error = cst_key_new(suite, NULL, 0, NULL, 0, &key);
    if (error) {
        print_error(name, 0, error);
        return;
    }
    const size_t bytes = info.tag_max <= 64 ? info.tag_max : 32;
    for (size_t i = 0; i < JOBS; i++) {
        fill(texts[i], length_of(i), i);
        const cst_job job = {.size = sizeof(job),
                             .key = key,
                             .direction = CST_SEAL,
                             .in = texts[i],
                             .in_len = length_of(i),
                             .tag = tags[i],
                             .tag_len = bytes};
        jobs[i] = job;
    }
    error = cst_burst(ctx, jobs, JOBS);
    for (size_t i = 0; i < JOBS; i++) {
        if (error) print_error(name, i, error);
        else print_bytes(name, i, tags[i], bytes, NULL, 0);
    }
    error = cst_digest(key, texts[3], length_of(3), tags[0], bytes);
    if (error || memcmp(tags[0], tags[3], bytes) != 0) printf("%s\talone\twrong\n", name);
    cst_key_free(key);
}

/* Keys are secret: 32 bytes below P-256's order. */
static void run_public(cst_ctx *ctx, const char *name) {
    static uint8_t keys[JOBS][32], texts[JOBS][MOST], outs[JOBS][80];
    static cst_pk_job jobs[JOBS];
    cst_pk *pk;
    int error = cst_pk_new(ctx, name, NULL, &pk);
    if (error) {
        print_error(name, 0, error);
        return;
    }
    const int signs = strstr(name, "-sign") != NULL;
    for (size_t i = 0; i < JOBS; i++) {
        fill(keys[i], 32, i);
        keys[i][0] = 1;
        fill(texts[i], length_of(i), i);
        const cst_pk_job job = {.size = sizeof(job),
                                .key = keys[i],
                                .key_len = 32,
                                .in = signs ? texts[i] : NULL,
                                .in_len = signs ? length_of(i) : 0,
                                .out = outs[i],
                                .out_cap = sizeof(outs[i])};
        jobs[i] = job;
    }
    error = cst_pk_burst(pk, jobs, JOBS);
    for (size_t i = 0; i < JOBS; i++) {
        if (error || jobs[i].status) print_error(name, i, error ? error : jobs[i].status);
        else print_bytes(name, i, outs[i], jobs[i].out_len, NULL, 0);
    }
    cst_pk_free(pk);
}

/* Verifies what `signs` signed; one signature is wrong. */
static void run_verification(cst_ctx *ctx, const char *name, const char *publics, const char *signs) {
    static uint8_t keys[JOBS][32], texts[JOBS][MOST], public_keys[JOBS][80], signatures[JOBS][80];
    static cst_pk_job jobs[JOBS];
    const char *const operations[] = {publics, signs, name};
    int error = CST_OK;
    for (size_t o = 0; !error && o < 3; o++) {
        cst_pk *pk;
        if ((error = cst_pk_new(ctx, operations[o], NULL, &pk))) break;
        for (size_t i = 0; i < JOBS; i++) {
            cst_pk_job job = {.size = sizeof(job)};
            fill(keys[i], 32, i);
            keys[i][0] = 1;
            fill(texts[i], length_of(i), i);
            if (o > 0) job.in = texts[i], job.in_len = length_of(i);
            if (o < 2) {
                job.key = keys[i], job.key_len = 32;
                job.out = o ? signatures[i] : public_keys[i], job.out_cap = 80;
            } else {
                job.key = public_keys[i], job.key_len = strstr(name, "p256") ? 65 : 32;
                job.signature = signatures[i], job.signature_len = 64;
            }
            jobs[i] = job;
        }
        if (o == 2) signatures[7][40] ^= 1;
        error = cst_pk_burst(pk, jobs, JOBS);
        cst_pk_free(pk);
    }
    for (size_t i = 0; i < JOBS; i++) print_error(name, i, error == CST_ERR_AUTH ? jobs[i].status : error);
}

static void *run(void *argument) {
    static const char *const seals[] = {"aes-128-cbc+hmac-sha1-etm", "aes-128-cbc+hmac-sha256-etm", "aes-128-gcm",
                                        "chacha20-poly1305"};
    static const char *const digests[] = {"md5", "sha1", "sha256", "sha512", "sha3-256", "blake3", "crc32c"};
    const char *const part = argument;
    cst_ctx *ctx;
    const int error = cst_ctx_new(&ctx, NULL);
    if (error) {
        print_error("context", 0, error);
        return NULL;
    }
    if (strcmp(part, "features") == 0) {
        cst_cpu_info cpu = {.size = sizeof(cpu)};
        if (cst_ctx_cpu(ctx, &cpu)) abort();
        printf("features\t0\t%s\n", cpu.features);
    } else if (strcmp(part, "selftest") == 0) {
        run_selftest(ctx);
    } else if (strcmp(part, "seals") == 0) {
        for (size_t i = 0; i < sizeof(seals) / sizeof(*seals); i++) run_seals(ctx, seals[i]);
    } else if (strcmp(part, "digests") == 0) {
        for (size_t i = 0; i < sizeof(digests) / sizeof(*digests); i++) run_digests(ctx, digests[i]);
    } else if (strcmp(part, "ed25519-verify") == 0) {
        run_verification(ctx, part, "ed25519-public-key", "ed25519-sign");
    } else if (strcmp(part, "ecdsa-p256-verify") == 0) {
        run_verification(ctx, part, "p256-public-key", "ecdsa-p256-sign");
    } else {
        run_public(ctx, part);
    }
    cst_ctx_free(ctx);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t thread;
    if (argc != 2 || pthread_create(&thread, NULL, run, argv[1])) return 2;
    return pthread_join(thread, NULL) ? 2 : 0;
}
