/* The digest of every line of a file, by one call: a column of strings, as databases and Arrow keep it.
 *
 *     columns HASH FILE
 *
 * The lines lie one behind the other without their ends; offsets[i] says where line i begins. Written are the digests
 * as hexadecimal digits, one a line, and how long they took.
 */
#define _POSIX_C_SOURCE 200809L
#include <cryptostitch/cryptostitch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void die(const char *what, const char *why) {
    fprintf(stderr, "columns: %s: %s\n", what, why);
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

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: columns HASH FILE\n");
        return 2;
    }
    cst_ctx *ctx;
    const cst_suite *suite;
    cst_key *key;
    check(cst_ctx_new(&ctx, NULL), "cst_ctx_new");
    check(cst_suite_get(ctx, argv[1], &suite), argv[1]);
    check(cst_key_new(suite, NULL, 0, NULL, 0, &key), argv[1]); /* HMAC: its key here, all else is the same */
    cst_suite_info info = {0};
    info.size = sizeof info;
    check(cst_suite_info_get(suite, &info), argv[1]);

    /* The file as a column. */
    FILE *f = fopen(argv[2], "rb");
    if (!f) die(argv[2], "cannot be read");
    char *data = NULL, *line = NULL;
    int64_t *offsets = malloc(sizeof *offsets);
    size_t bytes = 0, n = 0, room = 0, lines = 1, size = 0;
    if (!offsets) die("memory", "not enough");
    offsets[0] = 0;
    for (ssize_t length; (length = getline(&line, &size, f)) >= 0; n++) {
        if (length && line[length - 1] == '\n') length--;
        while (bytes + (size_t)length > room || !data)
            if (!(data = realloc(data, room = 2 * room + 4096))) die("memory", "not enough");
        if (n + 1 >= lines && !(offsets = realloc(offsets, (lines *= 2) * sizeof *offsets)))
            die("memory", "not enough");
        memcpy(data + bytes, line, (size_t)length);
        offsets[n + 1] = (int64_t)(bytes += (size_t)length);
    }
    fclose(f);

    unsigned char *digests = malloc(n * info.tag_max + 1);
    if (!digests) die("memory", "not enough");
    cst_column column = {0};
    column.size = sizeof column;
    column.key = key;
    column.data = data;
    column.data_bytes = bytes;
    column.offsets = offsets;
    column.offset_bytes = sizeof *offsets;
    column.n = n;
    column.tags = digests;
    column.tag_len = info.tag_max;
    double start = now_ms();
    check(cst_digest_column(&column), "cst_digest_column");
    double done = now_ms();

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < info.tag_max; j++) printf("%02x", digests[i * info.tag_max + j]);
        printf("\n");
    }
    fprintf(stderr, "%zu lines, %zu bytes: %.3f ms\n", n, bytes, done - start);
    cst_key_free(key);
    cst_ctx_free(ctx);
    free(data), free(line), free(offsets), free(digests);
    return 0;
}
