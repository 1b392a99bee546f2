/* gzip_digest FILE FILE.gz: compresses a file (RFC 1952), and prints the SHA-256 of what went in and of what came out.
 *
 * zlib compresses alone. The CRC-32 of gzip's trailer and both digests ride along piece by piece, while the bytes are
 * in the cache: the file is read once, the result written once, and both digests are one call. */
#include <cryptostitch/cryptostitch.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PIECE = 1 << 16, RAW_DEFLATE = -15, MEMORY_LEVEL = 8, DIGEST = 32 };

static void die(const char *what, const char *why) {
    fprintf(stderr, "gzip_digest: %s: %s\n", what, why);
    exit(1);
}

static cst_key *key_of(cst_ctx *ctx, const char *name) {
    const cst_suite *suite;
    cst_key *key;
    int error = cst_suite_get(ctx, name, &suite);
    if (!error) error = cst_key_new(suite, NULL, 0, NULL, 0, &key);
    if (error) die(name, cst_error_text(error));
    return key;
}

/* What goes in, and what comes out. */
enum { IN, OUT, SIDES };

typedef struct {
    cst_ctx *ctx;
    const cst_key *sha256;
    union {
        uint8_t bytes[CST_STATE_BYTES];
        uint64_t aligned;
    } state[SIDES];
    uint8_t digest[SIDES][DIGEST];
} Digests;

static void add(Digests *digests, const void *in, size_t in_bytes, const void *out, size_t out_bytes, int last) {
    cst_part parts[SIDES];
    memset(parts, 0, sizeof parts);
    for (int side = 0; side < SIDES; side++) {
        parts[side].size = sizeof parts[side];
        parts[side].key = digests->sha256;
        parts[side].state = digests->state[side].bytes;
        parts[side].in = side == IN ? in : out;
        parts[side].in_len = side == IN ? in_bytes : out_bytes;
        parts[side].tag = last ? digests->digest[side] : NULL;
        parts[side].tag_len = last ? DIGEST : 0;
    }
    const int error = cst_digest_parts(digests->ctx, parts, SIDES);
    if (error) die("SHA-256", cst_error_text(error));
}

static void print(const uint8_t *digest, const char *name) {
    for (int i = 0; i < DIGEST; i++) printf("%02x", digest[i]);
    printf("  %s\n", name);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fputs("usage: gzip_digest FILE FILE.gz\n", stderr);
        return 2;
    }
    static uint8_t in[PIECE], out[PIECE];
    static const uint8_t header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}; /* no name, no time, an unknown system */
    static Digests digests;
    const int error = cst_ctx_new(&digests.ctx, NULL);
    if (error) die("cryptostitch", cst_error_text(error));
    cst_key *const sha256 = key_of(digests.ctx, "sha256"), *const crc32 = key_of(digests.ctx, "crc32");
    digests.sha256 = sha256;

    FILE *const from = fopen(argv[1], "rb");
    if (!from) die(argv[1], "cannot be read");
    FILE *const to = fopen(argv[2], "wb");
    if (!to) die(argv[2], "cannot be written");
    z_stream deflater = {0};
    if (deflateInit2(&deflater, Z_DEFAULT_COMPRESSION, Z_DEFLATED, RAW_DEFLATE, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        die("zlib", "no memory");

    uint64_t crc = 0, length = 0;
    fwrite(header, 1, sizeof header, to);
    add(&digests, NULL, 0, header, sizeof header, 0);
    for (int ended = 0; !ended;) {
        const size_t n = fread(in, 1, PIECE, from);
        ended = n < PIECE;
        cst_checksum_update(crc32, in, n, &crc);
        add(&digests, in, n, NULL, 0, 0);
        length += n;
        deflater.next_in = in;
        deflater.avail_in = (uInt)n;
        do {
            deflater.next_out = out;
            deflater.avail_out = PIECE;
            deflate(&deflater, ended ? Z_FINISH : Z_NO_FLUSH);
            const size_t made = PIECE - deflater.avail_out;
            fwrite(out, 1, made, to);
            add(&digests, NULL, 0, out, made, 0);
        } while (!deflater.avail_out);
    }
    uint8_t trailer[8];
    for (int i = 0; i < 4; i++) {
        trailer[i] = (uint8_t)(crc >> 8 * i);
        trailer[4 + i] = (uint8_t)(length >> 8 * i);
    }
    fwrite(trailer, 1, sizeof trailer, to);
    add(&digests, NULL, 0, trailer, sizeof trailer, 1);
    deflateEnd(&deflater);
    if (ferror(from)) die(argv[1], "cannot be read");
    if (ferror(to) | fclose(to)) die(argv[2], "cannot be written");
    fclose(from);
    print(digests.digest[IN], argv[1]);
    print(digests.digest[OUT], argv[2]);
    cst_key_free(crc32);
    cst_key_free(sha256);
    cst_ctx_free(digests.ctx);
    return 0;
}
