/* Seals the records of a file with one burst, opens them with another, and says what ran.
 *
 *     embed FILE [SEALED KEYS]
 *
 * The file is padded to whole AES blocks (PKCS#7) and cut into records of 16 KiB; each has its own random IV and its
 * own tag. With SEALED and KEYS, the records (iv || ciphertext || tag, one after the other) and the keys (16 bytes AES,
 * 32 bytes HMAC) are written, so that another implementation can check them.
 */
#define _POSIX_C_SOURCE 200809L
#include <cryptostitch/cryptostitch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RECORD = 16384, IV = 16, TAG = 32, KEY = 16, MAC_KEY = 32 };
static const char SUITE[] = "aes-128-cbc+hmac-sha256-etm";

static void die(const char *what, const char *why) {
    fprintf(stderr, "embed: %s: %s\n", what, why);
    exit(1);
}

static void check(int result, const char *what) {
    if (result != CST_OK) die(what, cst_error_text(result));
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static unsigned char *allocate(size_t bytes) {
    unsigned char *p = calloc(bytes ? bytes : 1, 1);
    if (!p) die("memory", "not enough");
    return p;
}

static void random_bytes(void *to, size_t bytes) {
    FILE *f = fopen("/dev/urandom", "rb");
    if (!f || fread(to, 1, bytes, f) != bytes) die("/dev/urandom", "cannot be read");
    fclose(f);
}

/* The file, padded to a multiple of 16 bytes. */
static unsigned char *read_padded(const char *path, size_t *bytes) {
    FILE *f = fopen(path, "rb");
    long size = -1;
    if (f && fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    if (size < 0 || fseek(f, 0, SEEK_SET) != 0) die(path, "cannot be read");
    size_t padding = 16 - (size_t)size % 16;
    unsigned char *data = allocate((size_t)size + padding);
    if (fread(data, 1, (size_t)size, f) != (size_t)size) die(path, "cannot be read");
    fclose(f);
    memset(data + size, (int)padding, padding);
    *bytes = (size_t)size + padding;
    return data;
}

static void write_file(const char *path, const void *data, size_t bytes) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f) != 0) die(path, "cannot be written");
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 4) {
        fprintf(stderr, "usage: embed FILE [SEALED KEYS]\n");
        return 2;
    }
    size_t bytes;
    unsigned char *plain = read_padded(argv[1], &bytes), *opened = allocate(bytes);
    size_t records = (bytes + RECORD - 1) / RECORD, pitch = IV + RECORD + TAG;
    size_t sealed_bytes = bytes + records * (IV + TAG);
    unsigned char *sealed = allocate(sealed_bytes), *keys = allocate(KEY + MAC_KEY);
    cst_job *jobs = (cst_job *)(void *)allocate(records * sizeof *jobs);

    /* Two calls to start, one for the key. */
    double start = now_ms();
    cst_ctx *ctx;
    const cst_suite *suite;
    check(cst_ctx_new(&ctx, NULL), "cst_ctx_new");
    check(cst_suite_get(ctx, SUITE, &suite), SUITE);
    /* Not needed: the first burst would do it. It shows what will run, why, and what assembling it costs. */
    cst_choice choice = {0};
    choice.size = sizeof choice;
    check(cst_suite_choice(suite, CST_SEAL, records, RECORD, 1, &choice), "cst_suite_choice");
    const cst_kernel *kernel;
    cst_kernel_info info = {0};
    info.size = sizeof info;
    check(cst_kernel_get(ctx, choice.kernel, &kernel), choice.kernel);
    check(cst_kernel_info_get(kernel, &info), "cst_kernel_info_get");
    double ready = now_ms();

    random_bytes(keys, KEY + MAC_KEY);
    cst_key *key;
    check(cst_key_new(suite, keys, KEY, keys + KEY, MAC_KEY, &key), "cst_key_new");

    for (size_t i = 0; i < records; i++) {
        size_t length = i + 1 < records ? RECORD : bytes - i * RECORD;
        unsigned char *record = sealed + i * pitch;
        random_bytes(record, IV);
        cst_job job = {0};
        job.size = sizeof job;
        job.key = key;
        job.direction = CST_SEAL;
        job.iv = record;
        job.iv_len = IV;
        job.in = plain + i * RECORD;
        job.in_len = length;
        job.out = record + IV;
        job.out_cap = length;
        job.tag = record + IV + length;
        job.tag_len = TAG;
        jobs[i] = job;
    }
    double before = now_ms();
    check(cst_burst(ctx, jobs, records), "cst_burst (seal)");
    double first = now_ms();
    check(cst_burst(ctx, jobs, records),
          "cst_burst (seal)"); /* the same again: now the pages of the buffers are there */
    double again = now_ms();

    for (size_t i = 0; i < records; i++) {
        const void *ciphertext = jobs[i].out;
        jobs[i].direction = CST_OPEN;
        jobs[i].out = opened + i * RECORD;
        jobs[i].in = ciphertext;
    }
    double opening = now_ms();
    check(cst_burst(ctx, jobs, records), "cst_burst (open)");
    double done = now_ms();
    if (memcmp(plain, opened, bytes) != 0) die("cst_burst (open)", "gave other bytes than were sealed");

    /* One flipped bit must be noticed, in that record and in no other. */
    sealed[IV] ^= 1;
    if (cst_burst(ctx, jobs, records) != CST_ERR_AUTH || jobs[0].status != CST_ERR_AUTH)
        die("cst_burst (open)", "took a forged record");
    for (size_t i = 1; i < records; i++) check(jobs[i].status, "the record after a forged one");
    sealed[IV] ^= 1;

    if (argc == 4) {
        write_file(argv[2], sealed, sealed_bytes);
        write_file(argv[3], keys, KEY + MAC_KEY);
    }

    cst_cpu_info cpu = {0};
    cpu.size = sizeof cpu;
    check(cst_ctx_cpu(ctx, &cpu), "cst_ctx_cpu");
    printf("suite:    %s\n", SUITE);
    printf("CPU:      %s (costs: %s)\n", cpu.brand, cpu.microarchitecture);
    printf("kernel:   %s (%s, %u lanes)\n", choice.kernel, choice.origin, choice.lanes);
    printf("why:      %s\n", choice.why);
    printf("start:    %.2f ms for the context, the suite and the kernel (%zu bytes, assembled in %.0f us)\n",
           ready - start, info.code_bytes, (double)info.assembled_ns / 1e3);
    printf("sealed:   %zu records, %zu bytes in %.2f ms the first time, %.2f ms the second (%.0f MB/s)\n", records,
           bytes, first - before, again - first, (double)bytes / 1e3 / (again - first));
    printf("opened:   %.2f ms, the same bytes; a forged record was refused\n", done - opening);

    cst_key_free(key);
    cst_ctx_free(ctx);
    free(jobs), free(sealed), free(opened), free(plain), free(keys);
    return 0;
}
