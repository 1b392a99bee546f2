/* Compresses a file to FILE.gz; its CRC-32 and its SHA-256 ride along. Each piece is read once, and is still in a cache
 * when zlib (or zlib-ng) and the digest take it after the CRC. zlib makes a raw deflate stream, without a checksum of
 * its own: the trailer of the gzip file (RFC 1952, 2.3) has the library's CRC-32. SHA-256 goes to the standard output
 * as sha256sum writes it. */
#include <cryptostitch/cryptostitch.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { PIECE = 1 << 16, DIGEST = 32 };

static unsigned char in[PIECE], out[PIECE];

static int failed(const char *what, const char *why) {
    fprintf(stderr, "ride_along: %s: %s\n", what, why);
    return 1;
}

static int put_little_endian(uint32_t number, FILE *to) {
    const unsigned char bytes[4] = {number & 255, number >> 8 & 255, number >> 16 & 255, number >> 24};
    return fwrite(bytes, 1, sizeof(bytes), to) == sizeof(bytes);
}

static int make_key(cst_ctx *ctx, const char *name, cst_key **key) {
    const cst_suite *suite;
    const int error = cst_suite_get(ctx, name, &suite);
    return error ? error : cst_key_new(suite, NULL, 0, NULL, 0, key);
}

/* Writes what deflate makes of the piece. */
static int compress_piece(z_stream *z, size_t bytes, int last, FILE *to) {
    z->next_in = in;
    z->avail_in = (uInt)bytes;
    do {
        z->next_out = out;
        z->avail_out = sizeof(out);
        deflate(z, last ? Z_FINISH : Z_NO_FLUSH);
        const size_t made = sizeof(out) - z->avail_out;
        if (fwrite(out, 1, made, to) != made) return 0;
    } while (!z->avail_out);
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 2) return failed("usage", "ride_along FILE");
    char name[4096];
    if (snprintf(name, sizeof(name), "%s.gz", argv[1]) >= (int)sizeof(name)) return failed(argv[1], "too long a name");
    FILE *from = fopen(argv[1], "rb"), *to = from ? fopen(name, "wb") : NULL;
    if (!to) return failed(from ? name : argv[1], strerror(errno));

    cst_ctx *ctx;
    cst_key *crc_key, *sha_key;
    int error = cst_ctx_new(&ctx, NULL);
    if (!error) error = make_key(ctx, "crc32", &crc_key);
    if (!error) error = make_key(ctx, "sha256", &sha_key);
    if (error) return failed("library", cst_error_text(error));
    z_stream z = {0};
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return failed("zlib", "no memory");

    static uint64_t state[CST_STATE_BYTES / sizeof(uint64_t)]; /* zeros before the first part */
    unsigned char digest[DIGEST];
    uint64_t crc = 0, bytes = 0;
    const unsigned char header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}; /* no name, no time, unknown system */
    int last = 0, written = fwrite(header, 1, sizeof(header), to) == sizeof(header);
    while (written && !last) {
        const size_t n = fread(in, 1, sizeof(in), from);
        if (ferror(from)) return failed(argv[1], "cannot be read");
        last = n < sizeof(in);
        const cst_part part = {sizeof(part), sha_key, state, in, n, last, last ? digest : NULL, last ? DIGEST : 0};
        if ((error = cst_checksum_update(crc_key, in, n, &crc)) || (error = cst_digest_parts(ctx, &part, 1)))
            return failed("library", cst_error_text(error));
        written = compress_piece(&z, n, last, to);
        bytes += n;
    }
    deflateEnd(&z);
    written = written && put_little_endian((uint32_t)crc, to) && put_little_endian((uint32_t)bytes, to);
    if (fclose(to) || !written) return failed(name, "cannot be written");
    fclose(from);
    for (int i = 0; i < DIGEST; i++) printf("%02x", digest[i]);
    printf("  %s\n", argv[1]);
    cst_key_free(crc_key);
    cst_key_free(sha_key);
    cst_ctx_free(ctx);
    return 0;
}
