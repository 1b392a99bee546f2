/* The digest of every line of a file, by one call: a column of strings, as databases and Arrow keep it.
 *
 *     columns HASH FILE
 *
 * Written are the digests as hexadecimal digits, one a line, and how long they took.
 */
#include "lines.h"
#include <cryptostitch/cryptostitch.h>

static void check(int result, const char *what) {
    if (result != CST_OK) die(what, cst_error_text(result));
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

    struct lines lines = read_lines(argv[2]);
    unsigned char *digests = enough(malloc(lines.n * info.tag_max + 1));
    cst_column column = {0};
    column.size = sizeof column;
    column.key = key;
    column.data = lines.data;
    column.data_bytes = lines.bytes;
    column.offsets = lines.offsets;
    column.offset_bytes = sizeof *lines.offsets;
    column.n = lines.n;
    column.tags = digests;
    column.tag_len = info.tag_max;
    double start = now_ms();
    check(cst_digest_column(&column), "cst_digest_column");
    print_digests(&lines, digests, info.tag_max, now_ms() - start);

    cst_key_free(key);
    cst_ctx_free(ctx);
    free(lines.data), free(lines.offsets), free(digests);
    return 0;
}
