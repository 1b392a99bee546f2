/* own_hash PACK SUITE TEXT...: digests by a hash that the library does not have, from a pack that this program loads
 * while it runs. All texts are digested by one burst, side by side in lanes.
 *
 * A pack is code: a context takes one only where the application says so. With cst_options.pack_key it takes only packs
 * that are signed by that key; PACK_KEY=<64 hexadecimal digits> in the environment does that here. */
#include <cryptostitch/cryptostitch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXTS = 64, MOST_DIGEST = 64 };

static int fail(const char *what, int error) {
    fprintf(stderr, "own_hash: %s: %s\n", what, cst_error_text(error));
    return 1;
}

/* The whole file; NULL: it cannot be read. */
static unsigned char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    long end;
    if (file && !fseek(file, 0, SEEK_END) && (end = ftell(file)) >= 0 && (bytes = malloc((size_t)end + 1))) {
        rewind(file);
        *size = fread(bytes, 1, (size_t)end, file);
    }
    if (file) fclose(file);
    return bytes;
}

/* The public key of PACK_KEY. 0: there is none, 1: it is in `key`, -1: it is not 64 digits. */
static int public_key(unsigned char key[32]) {
    const char *digits = getenv("PACK_KEY");
    if (!digits) return 0;
    if (strlen(digits) != 64) return -1;
    for (int i = 0; i < 32; i++) {
        unsigned byte;
        if (sscanf(digits + 2 * i, "%2x", &byte) != 1) return -1;
        key[i] = (unsigned char)byte;
    }
    return 1;
}

int main(int argc, char **argv) {
    const int n = argc - 3;
    if (n < 1 || n > MOST_TEXTS) {
        fprintf(stderr, "usage: own_hash PACK SUITE TEXT... (at most %d)\n", MOST_TEXTS);
        return 2;
    }
    unsigned char key_bytes[32];
    const int has_key = public_key(key_bytes);
    if (has_key < 0) return fail("PACK_KEY", CST_ERR_ARGUMENT);
    cst_options options = {.size = sizeof options, .flags = CST_ALLOW_PACKS};
    if (has_key) options.pack_key = key_bytes;

    cst_ctx *ctx;
    int error = cst_ctx_new(&ctx, &options);
    if (error) return fail("the library", error);
    size_t size = 0;
    unsigned char *pack = read_file(argv[1], &size);
    if (!pack) return fail(argv[1], CST_ERR_FILE);
    error = cst_pack_load(ctx, pack, size); /* the library keeps a copy */
    if (error) {
        char why[256] = "";
        if (error == CST_ERR_PACK) cst_pack_check(pack, size, why, sizeof why);
        if (*why) fprintf(stderr, "own_hash: %s\n", why);
        return fail(argv[1], error);
    }
    free(pack);
    /* the known answers that the pack brings, and its kernels against one another */
    if ((error = cst_selftest(ctx, argv[2], NULL, NULL))) return fail("self-test", error);

    const cst_suite *suite;
    cst_key *key; /* a digest has no key of its own, only what the library has prepared */
    cst_suite_info info = {.size = sizeof info};
    if ((error = cst_suite_get(ctx, argv[2], &suite)) || (error = cst_suite_info_get(suite, &info)) ||
        (error = cst_key_new(suite, NULL, 0, NULL, 0, &key)))
        return fail(argv[2], error);
    cst_job jobs[MOST_TEXTS];
    unsigned char digests[MOST_TEXTS][MOST_DIGEST];
    for (int i = 0; i < n; i++)
        jobs[i] = (cst_job){.size = sizeof *jobs,
                            .key = key,
                            .direction = CST_SEAL,
                            .in = argv[3 + i],
                            .in_len = strlen(argv[3 + i]),
                            .tag = digests[i],
                            .tag_len = info.tag_max};
    if ((error = cst_burst(ctx, jobs, (size_t)n))) return fail("burst", error);
    for (int i = 0; i < n; i++) {
        for (size_t j = 0; j < info.tag_max; j++) printf("%02x", digests[i][j]);
        printf("  %s\n", argv[3 + i]);
    }
    cst_key_free(key);
    cst_ctx_free(ctx);
    return 0;
}
