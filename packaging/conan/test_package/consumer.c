/* The SHA-256 of "abc": exit status 0 when it is right. */
#include <cryptostitch/cryptostitch.h>
#include <stdio.h>

int main(void) {
    static const unsigned char begin[4] = {0xba, 0x78, 0x16, 0xbf};
    cst_ctx *ctx;
    const cst_suite *suite;
    cst_key *key;
    unsigned char digest[32];
    if (cst_ctx_new(&ctx, NULL) || cst_suite_get(ctx, "sha256", &suite)) return 1;
    if (cst_key_new(suite, NULL, 0, NULL, 0, &key) || cst_digest(key, "abc", 3, digest, 32)) return 1;
    cst_key_free(key);
    cst_ctx_free(ctx);
    for (int i = 0; i < 4; i++)
        if (digest[i] != begin[i]) return 1;
    puts("the digest of abc is right");
    return 0;
}
