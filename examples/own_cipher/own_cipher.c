/* own_cipher PACK SUITE KEY IV TEXT...: seals the texts with a cipher that the library does not have, by one burst,
 * from a pack that this program loads while it runs; opens them again; prints ciphertext and tag. KEY and IV are
 * hexadecimal digits. All texts are sealed under one IV, which only an example may do. */
#include <cryptostitch/cryptostitch.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TEXTS = 64, MOST_BYTES = 256, MOST_PACK = 1 << 22 };

static int fail(const char *what, int error) {
    fprintf(stderr, "own_cipher: %s: %s\n", what, cst_error_text(error));
    return 1;
}

/* The number of bytes that the digits say; 0: they are no such digits. */
static size_t from_digits(const char *digits, unsigned char *to, size_t room) {
    const size_t n = strlen(digits) / 2;
    if (strlen(digits) % 2 || n > room) return 0;
    for (size_t i = 0; i < n; i++)
        if (sscanf(digits + 2 * i, "%2hhx", to + i) != 1) return 0;
    return n;
}

static void print_digits(const unsigned char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) printf("%02x", bytes[i]);
}

int main(int argc, char **argv) {
    static unsigned char pack[MOST_PACK], sealed[MOST_TEXTS][MOST_BYTES], opened[MOST_BYTES], tags[MOST_TEXTS][16];
    unsigned char key_bytes[32], iv[16];
    const int n = argc - 5;
    if (n < 1 || n > MOST_TEXTS) {
        fprintf(stderr, "usage: own_cipher PACK SUITE KEY IV TEXT... (at most %d)\n", MOST_TEXTS);
        return 2;
    }
    const size_t key_len = from_digits(argv[3], key_bytes, sizeof key_bytes),
                 iv_len = from_digits(argv[4], iv, sizeof iv);
    FILE *file = fopen(argv[1], "rb");
    if (!file) return fail(argv[1], CST_ERR_FILE);
    const size_t size = fread(pack, 1, sizeof pack, file);
    fclose(file);

    cst_options options = {.size = sizeof options, .flags = CST_ALLOW_PACKS};
    cst_ctx *ctx;
    const cst_suite *suite;
    cst_suite_info info = {.size = sizeof info};
    cst_key *key;
    int error = cst_ctx_new(&ctx, &options);
    if (error) return fail("the library", error);
    if ((error = cst_pack_load(ctx, pack, size))) return fail(argv[1], error); /* the library keeps a copy */
    /* the known answers that the pack brings, and its kernels against one another */
    if ((error = cst_selftest(ctx, argv[2], NULL, NULL))) return fail("self-test", error);
    if ((error = cst_suite_get(ctx, argv[2], &suite)) || (error = cst_suite_info_get(suite, &info)) ||
        (error = cst_key_new(suite, key_bytes, key_len, NULL, 0, &key)))
        return fail(argv[2], error);

    cst_job jobs[MOST_TEXTS];
    for (int i = 0; i < n; i++) {
        const size_t bytes = strlen(argv[5 + i]);
        jobs[i] = (cst_job){.size = sizeof *jobs,
                            .key = key,
                            .direction = CST_SEAL,
                            .iv = iv,
                            .iv_len = iv_len,
                            .in = argv[5 + i],
                            .in_len = bytes < MOST_BYTES ? bytes : MOST_BYTES,
                            .out = sealed[i],
                            .out_cap = MOST_BYTES,
                            .tag = info.tag_max ? tags[i] : NULL,
                            .tag_len = info.tag_max};
    }
    if ((error = cst_burst(ctx, jobs, (size_t)n))) return fail("burst", error);
    for (int i = 0; i < n; i++) {
        cst_job back = jobs[i];
        back.direction = CST_OPEN;
        back.in = sealed[i];
        back.out = opened;
        if ((error = cst_burst(ctx, &back, 1))) return fail("opening", error);
        if (memcmp(opened, jobs[i].in, jobs[i].in_len) != 0) return fail("another text", CST_ERR_AUTH);
        print_digits(sealed[i], jobs[i].out_len);
        if (info.tag_max) printf(" "), print_digits(tags[i], info.tag_max);
        printf("\n");
    }
    cst_key_free(key);
    cst_ctx_free(ctx);
    return 0;
}
