/* What libsodium's Ed25519 verification calls in files that hold much more: no secrets pass here, so plain loops do. */
#include <stddef.h>
#include <string.h>

#include "crypto_hash_sha512.h"
#include "sign_ed25519_ref10.h"
#include "utils.h"

void sodium_memzero(void *const bytes, const size_t size) { memset(bytes, 0, size); }

int sodium_memcmp(const void *const a, const void *const b, size_t size) { return memcmp(a, b, size) ? -1 : 0; }

int sodium_is_zero(const unsigned char *bytes, const size_t size) {
    unsigned char any = 0;
    size_t i;
    for (i = 0; i < size; i++) any |= bytes[i];
    return any == 0;
}

/* Pure Ed25519 hashes nothing before R (RFC 8032, 5.1.7); `prehashed` is 0 here. */
void _crypto_sign_ed25519_ref10_hinit(crypto_hash_sha512_state *state, int prehashed) {
    (void)prehashed;
    crypto_hash_sha512_init(state);
}
