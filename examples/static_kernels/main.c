/* Generated kernels called as plain functions, each on a known answer in every lane. A kernel that this CPU cannot run
 * is skipped and named.
 *
 * A kernel has one state block per stream. The header says where each field lies; `PUT` and `GET` below are all there
 * is to it. Everything that the library would do around a kernel (padding, choosing the kernel for the CPU, jobs of
 * different lengths) is up to the caller here.
 */
#include <cryptostitch_kernels.h>
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One field of a state block, from the header's macros. */
struct field {
    size_t offset, row_bytes, entry_bytes;
    const unsigned *lanes;
};
#define FIELD(STREAM, NAME)                                                                \
    {STREAM##_##NAME##_OFFSET, STREAM##_##NAME##_ROW_BYTES, STREAM##_##NAME##_ENTRY_BYTES, \
     (const unsigned[])STREAM##_##NAME##_LANE_OFFSETS}
#define ENTRY(STATE, FIELD, ROW, LANE) \
    ((unsigned char *)(STATE) + (FIELD).offset + (size_t)(ROW) * (FIELD).row_bytes + (FIELD).lanes[LANE])
#define PUT(STATE, FIELD, ROW, LANE, FROM) memcpy(ENTRY(STATE, FIELD, ROW, LANE), FROM, (FIELD).entry_bytes)
#define GET(STATE, FIELD, ROW, LANE, TO) memcpy(TO, ENTRY(STATE, FIELD, ROW, LANE), (FIELD).entry_bytes)

/* A stream that hashes, and one that encrypts. */
struct hash {
    unsigned lanes, words;
    size_t state_bytes, state_align;
    struct field in, chain;
};
struct cipher {
    unsigned lanes, rounds;
    size_t state_bytes, state_align;
    struct field in, out, chain, key;
};
#define HASH(S) {S##_LANES, S##_CHAIN_ROWS, S##_STATE_BYTES, S##_STATE_ALIGN, FIELD(S, IN), FIELD(S, CHAIN)}
#define CIPHER(S)                                                      \
    {S##_LANES,    S##_KEY_ROWS - 1, S##_STATE_BYTES, S##_STATE_ALIGN, \
     FIELD(S, IN), FIELD(S, OUT),    FIELD(S, CHAIN), FIELD(S, KEY)}
static const struct hash sha256_x4 = HASH(SHA256_X4), sha256_x8 = HASH(SHA256_X8), sha1_x4 = HASH(SHA1_X4),
                         sha1_x16 = HASH(SHA1_X16);
static const struct cipher aes_x4 = CIPHER(AES128_CBC_ENC_X4), aes_x16 = CIPHER(AES128_CBC_ENC_X16);

/* FIPS 180-4: the initial values, and the digests of the two-block message below. */
static const char message[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
static const uint32_t sha256_initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
static const uint32_t sha256_expected[8] = {0x248d6a61, 0xd20638b8, 0xe5c02693, 0x0c3e6039,
                                            0xa33ce459, 0x64ff2167, 0xf6ecedd4, 0x19db06c1};
static const uint32_t sha1_initial[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
static const uint32_t sha1_expected[5] = {0x84983e44, 0x1c3bd26e, 0xbaae4aa1, 0xf95129e5, 0xe54670f1};

/* SP 800-38A, F.2.1: the key, the IV, the plaintext, the ciphertext. */
static const unsigned char aes_key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                          0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
static const unsigned char aes_iv[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const unsigned char aes_plain[64] = {
    0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a,
    0xae, 0x2d, 0x8a, 0x57, 0x1e, 0x03, 0xac, 0x9c, 0x9e, 0xb7, 0x6f, 0xac, 0x45, 0xaf, 0x8e, 0x51,
    0x30, 0xc8, 0x1c, 0x46, 0xa3, 0x5c, 0xe4, 0x11, 0xe5, 0xfb, 0xc1, 0x19, 0x1a, 0x0a, 0x52, 0xef,
    0xf6, 0x9f, 0x24, 0x45, 0xdf, 0x4f, 0x9b, 0x17, 0xad, 0x2b, 0x41, 0x7b, 0xe6, 0x6c, 0x37, 0x10};
static const unsigned char aes_expected[64] = {
    0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46, 0xce, 0xe9, 0x8e, 0x9b, 0x12, 0xe9, 0x19, 0x7d,
    0x50, 0x86, 0xcb, 0x9b, 0x50, 0x72, 0x19, 0xee, 0x95, 0xdb, 0x11, 0x3a, 0x91, 0x76, 0x78, 0xb2,
    0x73, 0xbe, 0xd6, 0xb8, 0xe3, 0xc1, 0x74, 0x3b, 0x71, 0x16, 0xe6, 0x9e, 0x22, 0x22, 0x95, 0x16,
    0x3f, 0xf1, 0xca, 0xa1, 0x68, 0x1f, 0xac, 0x09, 0x12, 0x0e, 0xca, 0x30, 0x75, 0x86, 0xe1, 0xa7};

enum { ITERATIONS = 2, BYTES = 64 * ITERATIONS, MOST_LANES = 16 }; /* more iterations than the pair's lag of 1 */

static void *new_state(size_t bytes, size_t align) {
    void *state = aligned_alloc(align, (bytes + align - 1) / align * align);
    if (!state) exit(1);
    return memset(state, 0, bytes);
}

static void start_hash(const struct hash *h, void *state, const uint32_t *initial, const unsigned char *padded) {
    for (unsigned lane = 0; lane < h->lanes; lane++) {
        PUT(state, h->in, 0, lane, &padded);
        for (unsigned w = 0; w < h->words; w++) PUT(state, h->chain, w, lane, &initial[w]);
    }
}

static int hash_is(const struct hash *h, void *state, const uint32_t *expected) {
    for (unsigned lane = 0; lane < h->lanes; lane++)
        for (unsigned w = 0; w < h->words; w++) {
            uint32_t word;
            GET(state, h->chain, w, lane, &word);
            if (word != expected[w]) return 0;
        }
    return 1;
}

/* The message with its padding: two blocks of 64 bytes. */
static void pad(unsigned char padded[BYTES]) {
    memset(padded, 0, BYTES);
    memcpy(padded, message, sizeof message - 1);
    padded[sizeof message - 1] = 0x80;
    padded[BYTES - 2] = (unsigned char)((sizeof message - 1) * 8 >> 8);
    padded[BYTES - 1] = (unsigned char)((sizeof message - 1) * 8);
}

#define NEXT_KEY(I, RCON) key[I] = next_key(key[I - 1], _mm_aeskeygenassist_si128(key[I - 1], RCON))
__attribute__((target("aes"))) static __m128i next_key(__m128i k, __m128i assist) {
    k = _mm_xor_si128(k, _mm_slli_si128(k, 4));
    k = _mm_xor_si128(k, _mm_slli_si128(k, 8));
    return _mm_xor_si128(k, _mm_shuffle_epi32(assist, 0xff));
}
__attribute__((target("aes"))) static void expand_key(__m128i key[11]) {
    key[0] = _mm_loadu_si128((const __m128i *)(const void *)aes_key);
    NEXT_KEY(1, 0x01), NEXT_KEY(2, 0x02), NEXT_KEY(3, 0x04), NEXT_KEY(4, 0x08), NEXT_KEY(5, 0x10);
    NEXT_KEY(6, 0x20), NEXT_KEY(7, 0x40), NEXT_KEY(8, 0x80), NEXT_KEY(9, 0x1b), NEXT_KEY(10, 0x36);
}

static int run_sha256(const struct hash *h, cst_kernel_fn kernel) {
    unsigned char padded[BYTES];
    pad(padded);
    struct cst_kernel_args args = {ITERATIONS, {new_state(h->state_bytes, h->state_align)}};
    start_hash(h, args.state[0], sha256_initial, padded);
    kernel(&args);
    int ok = hash_is(h, args.state[0], sha256_expected);
    free(args.state[0]);
    return ok;
}

/* One loop, two algorithms: the hash reads its own buffers here. Pointed at the cipher's output it would be
 * encrypt-then-hash. */
static int run_pair(const struct cipher *c, const struct hash *h, cst_kernel_fn kernel) {
    static unsigned char in[BYTES], out[MOST_LANES][BYTES];
    unsigned char padded[BYTES];
    __m128i key[11];
    pad(padded);
    expand_key(key);
    memcpy(in, aes_plain, 64), memcpy(in + 64, aes_plain, 64);
    struct cst_kernel_args args = {
        ITERATIONS, {new_state(c->state_bytes, c->state_align), new_state(h->state_bytes, h->state_align)}};
    const unsigned char *from = in;
    for (unsigned lane = 0; lane < c->lanes; lane++) {
        unsigned char *to = out[lane];
        PUT(args.state[0], c->in, 0, lane, &from);
        PUT(args.state[0], c->out, 0, lane, &to);
        PUT(args.state[0], c->chain, 0, lane, aes_iv);
        for (unsigned round = 0; round <= c->rounds; round++) PUT(args.state[0], c->key, round, lane, &key[round]);
    }
    start_hash(h, args.state[1], sha1_initial, padded);
    kernel(&args);
    int ok = hash_is(h, args.state[1], sha1_expected);
    for (unsigned lane = 0; lane < c->lanes; lane++)
        ok &= memcmp(out[lane], aes_expected, 64) == 0 && memcmp(out[lane], out[0], BYTES) == 0;
    memset(args.state[0], 0, c->state_bytes); /* the round keys; a real program uses explicit_bzero */
    free(args.state[0]), free(args.state[1]);
    return ok;
}

static int failures;

static void say(const char *kernel, int ok) {
    printf("%-42s %s\n", kernel, ok ? "ok" : "wrong answer");
    failures += !ok;
}

int main(void) {
    __builtin_cpu_init();
    int sse = __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1"), aes = __builtin_cpu_supports("aes"),
        avx2 = __builtin_cpu_supports("avx2");
    int avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    int vaes = __builtin_cpu_supports("vaes");

    const char *name = "sha256_x4@sse";
    if (sse) say(name, run_sha256(&sha256_x4, cst_k_sha256_x4_sse));
    else printf("%-42s skipped: this CPU has no SSE4.1\n", name);

    name = "sha256_x8@avx2";
    if (avx2) say(name, run_sha256(&sha256_x8, cst_k_sha256_x8_avx2));
    else printf("%-42s skipped: no AVX2\n", name);

    name = "aes128_cbc_enc_x4+sha1_x4@sse_aesni";
    if (sse && aes) say(name, run_pair(&aes_x4, &sha1_x4, cst_k_aes128_cbc_enc_x4_sha1_x4_sse_aesni));
    else printf("%-42s skipped: no AES-NI\n", name);

    name = "aes128_cbc_enc_x16+sha1_x16@avx512_vaes";
    if (avx512 && vaes && aes) say(name, run_pair(&aes_x16, &sha1_x16, cst_k_aes128_cbc_enc_x16_sha1_x16_avx512_vaes));
    else printf("%-42s skipped: no AVX-512 or no VAES\n", name);
    return failures != 0;
}
