/* Ten blocks of a file, and four of parity: any four of the fourteen may be lost. Here they are, and come back. */
#include <cryptostitch/cryptostitch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DATA = 10, PARITY = 4, BLOCKS = DATA + PARITY };

static int failed(const char *what, int error) {
    fprintf(stderr, "erasure_code: %s: %s\n", what, cst_error_text(error));
    return 1;
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, argc == 2 ? "erasure_code: the file cannot be read\n" : "usage: erasure_code FILE\n");
        return 2;
    }
    fseek(file, 0, SEEK_END);
    const size_t bytes = (size_t)ftell(file), block = bytes / DATA + 1;
    rewind(file);
    unsigned char *all = calloc(BLOCKS, block), *copy = malloc(BLOCKS * block);
    if (!all || !copy || fread(all, 1, bytes, file) != bytes) {
        fprintf(stderr, "erasure_code: %s cannot be read\n", argv[1]);
        return 2;
    }
    fclose(file);

    cst_ctx *ctx;
    cst_code *code;
    const cst_code_shape shape = {sizeof(shape), DATA, PARITY, CST_CODE_CAUCHY, NULL};
    int error = cst_ctx_new(&ctx, NULL);
    if (error) return failed("context", error);
    if ((error = cst_code_new(ctx, &shape, &code))) return failed("code", error);

    void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) blocks[i] = all + (size_t)i * block;
    if ((error = cst_code_encode(code, block, (const void *const *)blocks, blocks + DATA)))
        return failed("encode", error);
    memcpy(copy, all, BLOCKS * block);

    const uint8_t lost[BLOCKS] = {[0] = 1, [3] = 1, [7] = 1, [12] = 1};
    for (int i = 0; i < BLOCKS; i++)
        if (lost[i]) memset(blocks[i], 0, block);
    if ((error = cst_code_decode(code, block, blocks, lost))) return failed("decode", error);
    const int same = memcmp(copy, all, BLOCKS * block) == 0;
    printf("%s: %d blocks of %zu bytes, %d parities; 4 lost, all %s\n", argv[1], DATA, block, PARITY,
           same ? "restored" : "WRONG");
    cst_code_free(code);
    cst_ctx_free(ctx);
    free(all);
    free(copy);
    return !same;
}
