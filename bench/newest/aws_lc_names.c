// The calls of OpenSSL 3 that cst-bench makes and AWS-LC does not have, by those that it has.
#include <openssl/cipher.h>
#include <openssl/cmac.h>
#include <openssl/crypto.h>
#include <openssl/digest.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// As OpenSSL's, whose types these are.
enum { VERSION_CPU_INFO = 9 };
typedef struct {
    const char *key;
    unsigned type;
    void *data;
    size_t bytes, returned;
} OSSL_PARAM;
typedef enum { NO_MAC, WITH_HMAC, WITH_CMAC } EVP_MAC;
typedef struct {
    const EVP_MD *digest;
    const EVP_CIPHER *cipher;
    HMAC_CTX *hmac;
    CMAC_CTX *cmac;
} EVP_MAC_CTX;

const char *OpenSSL_version(int which) {
    const char *set = getenv("OPENSSL_ia32cap");
    return which != VERSION_CPU_INFO ? AWSLC_VERSION_NUMBER_STRING : set ? set : "no OPENSSL_ia32cap";
}
void *OSSL_PROVIDER_load(void *context, const char *name) {
    (void)context, (void)name;
    return NULL;
}

const EVP_CIPHER *EVP_CIPHER_fetch(void *context, const char *name, const char *properties) {
    static const struct {
        const char *name;
        const EVP_CIPHER *(*cipher)(void);
    } unlisted[] = {{"AES-128-CCM", EVP_aes_128_ccm},
                    {"AES-192-CCM", EVP_aes_192_ccm},
                    {"AES-256-CCM", EVP_aes_256_ccm},
                    {"AES-128-CBC-HMAC-SHA1", EVP_aes_128_cbc_hmac_sha1},
                    {"AES-256-CBC-HMAC-SHA1", EVP_aes_256_cbc_hmac_sha1},
                    {"AES-128-CBC-HMAC-SHA256", EVP_aes_128_cbc_hmac_sha256},
                    {"AES-256-CBC-HMAC-SHA256", EVP_aes_256_cbc_hmac_sha256}};
    (void)context, (void)properties;
    for (size_t i = 0; i < sizeof unlisted / sizeof *unlisted; i++)
        if (strcasecmp(name, unlisted[i].name) == 0) return unlisted[i].cipher();
    return EVP_get_cipherbyname(name);
}
void EVP_CIPHER_free(EVP_CIPHER *cipher) { (void)cipher; }
int EVP_CipherInit_ex2(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher, const uint8_t *key, const uint8_t *iv, int seal,
                       const OSSL_PARAM *params) {
    (void)params;
    return EVP_CipherInit_ex(ctx, cipher, NULL, key, iv, seal);
}

const EVP_MD *EVP_MD_fetch(void *context, const char *name, const char *properties) {
    (void)context, (void)properties;
    return EVP_get_digestbyname(name);
}
void EVP_MD_free(EVP_MD *digest) { (void)digest; }
int EVP_DigestInit_ex2(EVP_MD_CTX *ctx, const EVP_MD *digest, const OSSL_PARAM *params) {
    (void)params;
    return EVP_DigestInit_ex(ctx, digest, NULL);
}

const EVP_MAC *EVP_MAC_fetch(void *context, const char *name, const char *properties) {
    static const EVP_MAC macs[] = {WITH_HMAC, WITH_CMAC};
    (void)context, (void)properties;
    return strcmp(name, "HMAC") == 0 ? &macs[0] : strcmp(name, "CMAC") == 0 ? &macs[1] : NULL;
}
void EVP_MAC_free(EVP_MAC *mac) { (void)mac; }
EVP_MAC_CTX *EVP_MAC_CTX_new(const EVP_MAC *mac) {
    EVP_MAC_CTX *ctx = calloc(1, sizeof *ctx);
    if (!ctx) return NULL;
    if (*mac == WITH_CMAC) ctx->cmac = CMAC_CTX_new();
    else ctx->hmac = HMAC_CTX_new();
    return ctx;
}
void EVP_MAC_CTX_free(EVP_MAC_CTX *ctx) {
    if (!ctx) return;
    HMAC_CTX_free(ctx->hmac);
    CMAC_CTX_free(ctx->cmac);
    free(ctx);
}
// The only parameter that is given is the name of the digest, or of the cipher.
int EVP_MAC_init(EVP_MAC_CTX *ctx, const uint8_t *key, size_t bytes, const OSSL_PARAM *params) {
    if (ctx->cmac) {
        if (params) ctx->cipher = EVP_get_cipherbyname(params->data);
        if (!key) return CMAC_Reset(ctx->cmac);
        return ctx->cipher && CMAC_Init(ctx->cmac, key, bytes, ctx->cipher, NULL);
    }
    if (params) ctx->digest = EVP_get_digestbyname(params->data);
    if (!key) return HMAC_Init_ex(ctx->hmac, NULL, 0, NULL, NULL);
    return ctx->digest && HMAC_Init_ex(ctx->hmac, key, bytes, ctx->digest, NULL);
}
int EVP_MAC_update(EVP_MAC_CTX *ctx, const uint8_t *data, size_t bytes) {
    return ctx->cmac ? CMAC_Update(ctx->cmac, data, bytes) : HMAC_Update(ctx->hmac, data, bytes);
}
int EVP_MAC_final(EVP_MAC_CTX *ctx, uint8_t *tag, size_t *bytes, size_t room) {
    unsigned n = 0;
    (void)room;
    if (ctx->cmac) return CMAC_Final(ctx->cmac, tag, bytes);
    if (!HMAC_Final(ctx->hmac, tag, &n)) return 0;
    *bytes = n;
    return 1;
}
