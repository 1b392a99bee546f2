/* The same as columns.c without the library: C and kernels that this project's build generates.
 *
 *     static_columns sha256|md5 FILE
 */
#include "lines.h"
#include <cryptostitch_columns.h>

int main(int argc, char **argv) {
    const int md5 = argc == 3 && !strcmp(argv[1], "md5");
    if (argc != 3 || (!md5 && strcmp(argv[1], "sha256") != 0)) {
        fprintf(stderr, "usage: static_columns sha256|md5 FILE\n");
        return 2;
    }
    struct lines lines = read_lines(argv[2]);
    const size_t digest_bytes = md5 ? 16 : 32;
    unsigned char *digests = enough(malloc(lines.n * digest_bytes + 1));
    double start = now_ms();
    int error =
        (md5 ? cst_column_md5 : cst_column_sha256)(lines.data, lines.offsets, sizeof *lines.offsets, lines.n, digests);
    if (error == CST_COLUMN_UNSUPPORTED) die(argv[1], "this CPU has none of the instruction sets");
    if (error) die(argv[1], "bad arguments");
    print_digests(&lines, digests, digest_bytes, now_ms() - start);
    free(lines.data), free(lines.offsets), free(digests);
    return 0;
}
