/* Cryptostitch: stitched and multi-buffer encryption and authentication.
 *
 * Two calls to start: cst_ctx_new, cst_suite_get; then cst_key_new once per key, and cst_seal, cst_open, cst_digest for
 * one buffer or cst_burst for many. Lane counts never appear here: the burst chooses the kernel for the jobs in hand.
 *
 * Errors are returned (CST_OK or a negative CST_ERR_ value), never stored. There is no global and no thread-local
 * state. A context, its suites and its keys may be used from any number of threads at once after creation, and from a
 * forked child; only cst_suite_force, cst_pack_load, cst_calibrate and the *_free call of an object must not run while
 * another thread uses it.
 *
 * Calls compute with doubles to choose kernels: floating-point exceptions are masked, as C has them when a program
 * starts.
 *
 * No call needs more than 16 KiB of its caller's stack, callbacks and signal handlers apart; large objects are in
 * memory that is allocated before anything is written.
 *
 * Structs begin with their own size, which the caller sets.
 *
 * ARGUMENTS. Every length and pointer is checked before any byte that it describes is read or written, by one rule for
 * all calls. The first of these errors that a call finds is returned, in this order, and nothing is written then but
 * `status` and `out_len` of jobs:
 *   CST_ERR_ARGUMENT: a pointer that is NULL, though its length is not 0 (with the length 0 it may be NULL, and an
 *     address is not looked at); a number, a pointer or a struct, or an array of them, that is not aligned as its type
 *     is in C (an array without elements may lie anywhere); what else the call says;
 *   CST_ERR_UNSUPPORTED, where a call says so;
 *   CST_ERR_LENGTH: a length that the call or the suite does not take; a buffer that would go on behind the end of the
 *     address space, or is longer than 2^61 - 513 bytes (of cst_job: than cst_suite_info says), so that inside the
 *     library no sum of lengths overflows; a number of elements times their size or stride that overflows, or is as
 *     long;
 *   CST_ERR_OVERLAP: a buffer that is written meets another one of the call, be that an input, an output, or an array
 *     or a struct that describes others. `in == out` is allowed where the call says so (of cst_job, cst_text_part,
 *     cst_text_column: the whole text in place; of cst_pk_job: `out` may begin where `in` or `key` does).
 * The contents of buffers (offsets, checksums so far, a number that must be below a modulus, the state of a message)
 * are looked at after that; where places or lengths follow from it, these are checked by the same rule.
 * A capacity (`out_cap`, and `bytes` of cst_key_init) is no length in this sense: how much is written, at most,
 * follows from other arguments, and that is the buffer. The capacity may be any number that is not less, SIZE_MAX too;
 * if it is less, that is CST_ERR_LENGTH, whether the pointer is NULL or not.
 * Not checked: what one job of a call writes against the buffers of its other jobs, and against the jobs themselves and
 * their addresses, in cst_burst, cst_burst_pointers, cst_seal, cst_open and cst_digest, and *out_len there; what one
 * packet of a call writes against the buffers of its other packets, and against the packets themselves, in
 * cst_quic_seal and cst_quic_open; names and paths, which are strings of C; objects that the library has made
 * (contexts, suites, keys, ...), but for NULL.
 *
 * SUITES. cst_suite_info tells the lengths that each of them takes.
 *
 * Every hash H (sha1, sha224, sha256, sha384, sha512, sha512_256 (SHA-512/256), sm3, md5) gives `H` and `hmac-H`; so do
 * sha3-224, sha3-256, sha3-384 and sha3-512, which take no part in what follows. shake128, shake256, blake2b-512,
 * blake2s-256 and blake3 are digests alone. `blake3-keyed` (mac_key: 32 bytes) and `blake3-derive-key` (mac_key: the
 * context string; the message is the key material) are BLAKE3's other modes, MACs that are no HMAC. Every cipher C
 * (aes-128-cbc, ...) gives `C`; cipher and hash together, C of aes-B-cbc and aes-B-ctr, give `C+hmac-H-etm`,
 * encrypt-then-MAC, 12 <= tag_len <= size of H:
 *
 *     tag = the first tag_len bytes of HMAC-H(mac_key, aad || iv || ciphertext),   ciphertext = C(key, iv, in)
 *
 * IPsec ESP (RFC 4303) is `aes-B-cbc+hmac-H-T`, where T is the size of the tag in bits (md5-96, sha1-96, sha256-128,
 * sha384-192, sha512-256; RFC 2403, 2404, 4868): the same with tags of just that size and aad = SPI || sequence number,
 * 8 bytes, or 12 with an extended number: SPI || low half || high half, the latter under the MAC behind the ciphertext
 * (RFC 4303, 2.2.1). The padding that ESP asks for, and its trailer, are part of `in`. `aes-128-cbc+aes-xcbc-96` is the
 * same with AES-XCBC (RFC 3566; mac_key 16 bytes, tag 12).
 *
 * `aes-B-cbc+hmac-H-ciphertext`, H sha1, sha256 or sha512, is OpenSSL's AES-B-CBC-HMAC-H-ETM (3.6 and later): the same
 * as `-etm` with tag = the first tag_len bytes of HMAC-H(mac_key, aad || ciphertext); OpenSSL has no aad. The IV is NOT
 * under the MAC, and whoever changes it changes the first block of the text unseen: let it follow from something that
 * is authenticated, or make it the end of the aad.
 *
 * None of these pads: the input of CBC is a multiple of its block (16), that of CTR any length, and out_len = in_len.
 * The AAD's length is not under the MAC: where its length varies, the application must make the boundary between AAD
 * and IV unambiguous (a fixed length, or a length in the AAD).
 *
 * `a128cbc-hs256` is A128CBC-HS256 of RFC 7518, 5.2: key = MAC_KEY || ENC_KEY (32 bytes), PKCS#7 padding (out_len =
 * in_len rounded up to the next larger multiple of 16), tag = the first 16 bytes of HMAC-SHA-256(MAC_KEY, aad || iv ||
 * ciphertext || 64-bit big-endian aad_len * 8); `a192cbc-hs384` and `a256cbc-hs512` alike, with keys of 48 and 64 bytes
 * and tags of 24 and 32.
 *
 * TLS 1.0 to 1.2 (RFC 5246, 6.2.3.2; MAC, then pad, then encrypt) is `C+hmac-H-tls`, C aes-128-cbc or aes-256-cbc, H
 * sha1 or sha256; or aes-256-cbc and sha384 (RFC 5289). One job is one record: aad = sequence number (64 bits,
 * big-endian) || type || version, 11 bytes; no tag; iv = the record's explicit IV (TLS 1.0: the last block before);
 * in_len up to 16,384:
 *
 *     out = C(key, iv, in || HMAC-H(mac_key, aad || 16-bit length of in || in) || padding), the shortest padding
 *
 * Opening takes any padding up to 256 bytes, and takes the same time whatever is wrong. cst_tls_seal makes the records
 * of a longer text.
 *
 * `aes-B-ctr` is counter mode (SP 800-38A, 6.5): any length, iv = the first counter block, 16 bytes that count as one
 * big-endian number; sealing and opening are the same. `aes-B-gcm` is GCM (SP 800-38D): IVs of 1 byte or more (12 are
 * usual), tags of 4, 8, 12 to 16 bytes, in_len at most 2^36 - 32; no padding. An IV that is used twice under a key lays
 * both texts open, and with GCM the key of the MAC. `aes-B-ccm` is CCM (SP 800-38C), B 128 or 256: IVs of 7 to 13
 * bytes, never used twice under a key (n bytes leave 15 - n for the text's length), tags of 4, 6 .. 16.
 *
 * `chacha20-poly1305` is AEAD_CHACHA20_POLY1305 (RFC 8439, 2.8): key 32, iv 12 (never used twice under a key), tag 16
 * bytes, in_len at most 2^38 - 64. `chacha20` alone (2.4): iv = block counter (32 bits, little-endian) || nonce, 16
 * bytes. A counter that overflows carries into the first word of the nonce (32 bits, little-endian), and that carries
 * no further: as in OpenSSL, counter and word count as one number of 64 bits.
 *
 * `aes-B-xts` is XTS (IEEE 1619; SP 800-38E): key = K1 || K2, 32 or 64 bytes, whose halves must differ; iv = the tweak
 * value, 16 bytes (a sector's number is little-endian); 16 bytes to 2^24 of any length, by ciphertext stealing. It does
 * not authenticate. `aes-B-ecb` (SP 800-38A, 6.1) is for those who build modes. `aes-B-cmac` (SP 800-38B) and
 * `aes-128-xcbc` (RFC 3566) are MACs: the AES key is mac_key, tags of 8 to 16 bytes.
 *
 * Checksums have no key and detect accidents, not attackers: `crc32c` (Castagnoli's: iSCSI, ext4, Btrfs, NVMe), `crc32`
 * (zip, gzip, PNG, Ethernet), `crc64-nvme`, `crc64-xz` (ECMA-182's, reflected), `crc32-bzip2`, `crc16-t10-dif`, and
 * `adler32` (zlib's: RFC 1950). They are digests of 4, 8 and 2 bytes, which are the checksum as a number: the lowest
 * byte first, as iSCSI, zip, NVMe and xz send it; of crc32-bzip2, crc16-t10-dif and adler32 the highest first.
 * cst_checksum_update takes such numbers; cst_crc_new makes a key of any other polynomial.
 *
 * `mh-sha1` and `mh-sha256` are multi-hashes, as isa-l_crypto has them (mh_sha1, mh_sha256): digests of a message whose
 * 32-bit words are dealt to 16 segments, which are hashed side by side. They are no SHA-1 or SHA-256 of the message.
 * Their bytes are those that isa-l_crypto leaves in memory on x86: 32-bit words, the lowest byte of each first.
 * `mh-sha1+murmur3-x64-128` has MurmurHash3 of the message behind mh-sha1 in the tag, whole only, as isa-l_crypto's
 * mh_sha1_murmur3_x64_128 with seed 0 computes both.
 *
 * Two digests of the same bytes by one call: `md5+sha256`, `sha1+sha256`, `sha256+crc32c`. The tag, whole only, is the
 * first digest, then the second; they have no key.
 *
 * Ciphers of storage with a checksum, by one call: `aes-128-xts+crc32c`, `aes-256-xts+crc32c`,
 * `aes-256-xts+crc16-t10-dif` and `aes-256-gcm+crc32c`. The checksum is that of the ciphertext, of what lies on the
 * disk; with `-plaintext` behind the name it is that of the plaintext, of the host's data. The tag, whole only, is
 * GCM's tag of 16 bytes if there is one, then the checksum as its suite has it: 4, 2 or 20 bytes. Opening compares all
 * of it, and takes a wrong checksum as it takes a wrong tag: CST_ERR_AUTH, and the output is wiped. But a checksum does
 * not authenticate: with XTS it finds damage, no attack. To read what is damaged, open it with the cipher's own suite.
 * Whoever sees the checksum of a plaintext can tell which of a few possible texts it is: encrypt that checksum, or keep
 * it where the plaintext may be. Keys, IVs and lengths are the cipher's.
 *
 * Legacy suites, for peers that have nothing better; only with CST_ALLOW_LEGACY (else they are CST_ERR_NAME, and no
 * list shows them, nor their kernels): `rc4-vartime` is RC4, whose time depends on key and data (so says its name) and
 * whose stream is biased (RFC 7465): keys of 5 to 32 bytes (16 are usual), no IV, any length. A key is for ONE message:
 * every message begins with the same stream. `rc4-vartime+hmac-H-etm`, H md5 or sha1: tag = the first tag_len bytes of
 * HMAC-H(mac_key, aad || ciphertext). `des-ede3-cbc` is 3DES in CBC mode (SP 800-67), whose blocks of 8 bytes let two
 * ciphertexts collide after some 2^32 of them under a key (SP 800-67, 3.2: at most 2^20): key = K1 || K2 || K3, 24
 * bytes (parity bits are not looked at, equal keys not refused), iv 8, multiples of 8 bytes; constant-time.
 * `des-ede3-cbc+hmac-H-etm` and, for ESP (RFC 2451), `des-ede3-cbc+hmac-H-96`, H md5 or sha1, are as with aes-B-cbc,
 * with an IV of 8 bytes. Without AVX-512 VBMI and GFNI they are byte-sliced: a message alone is sealed as slowly as 16
 * or 32.
 *
 * Key lengths: the cipher's exactly (RC4: see above). MAC keys of `hmac-H` have any length up to 2^32, 0 included (RFC
 * 2104), those of an HMAC that authenticates a cipher 1 byte or more; protocols have as many as the hash's digest, and
 * SP 800-131A wants 14 or more. HMAC alone: tags of 10 bytes to the hash's size.
 */
#ifndef CRYPTOSTITCH_H
#define CRYPTOSTITCH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CST_API __attribute__((visibility("default")))
#else
#define CST_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* While the first number is 0, another second number may change functions and structs: the functions of
 * libcryptostitch.so.0 have symbol versions (CRYPTOSTITCH_0.1), so that a program that was linked with 0.1 does not
 * start with the library of 0.2. The third number changes neither. cst_version() is that of the library which runs. */
#define CST_VERSION_MAJOR 0
#define CST_VERSION_MINOR 1
#define CST_VERSION_PATCH 0
#define CST_VERSION_NUMBER (CST_VERSION_MAJOR << 16 | CST_VERSION_MINOR << 8 | CST_VERSION_PATCH)
#define CST_VERSION "0.1.0"

typedef struct cst_ctx cst_ctx;
typedef struct cst_suite cst_suite;
typedef struct cst_key cst_key;
typedef struct cst_kernel cst_kernel;

enum {
    CST_OK = 0,
    CST_ERR_ARGUMENT =
        -1,    /* a null pointer, an unknown flag, a struct of the wrong size, an XTS key whose halves are equal */
    CST_ERR_NAME = -2,        /* no suite, kernel, target or CPU of that name: see cst_nearest */
    CST_ERR_LENGTH = -3,      /* a key, IV, tag, input or output length that the suite does not take */
    CST_ERR_OVERLAP = -4,     /* buffers overlap partially */
    CST_ERR_AUTH = -5,        /* authentication failed (whatever the cause); the output was wiped */
    CST_ERR_UNSUPPORTED = -6, /* nothing that this CPU, this OS, the chosen target or the suite can do */
    CST_ERR_MEMORY = -7,      /* out of memory */
    CST_ERR_PACK = -8,        /* a damaged or unacceptable pack */
    CST_ERR_JIT = -9,         /* the OS refused executable memory and there is no static kernel of that name */
    CST_ERR_SELFTEST = -10,   /* a kernel gave a wrong answer */
    CST_ERR_FULL = -11,       /* a manager holds as many jobs as it may: take some, or flush and take */
    CST_ERR_FILE = -12,       /* a file that cannot be read or written */
    CST_ERR_COSTS = -13,      /* a damaged cost file, or something else that is not one */
    CST_ERR_LOST = -14,       /* more blocks are lost than an erasure code restores */
    CST_ERR_POINT = -15, /* a key that must not be used, in operations with secret keys: a public key of X25519 of small
                            order, one of P-256 that is no point of the curve; a secret key of P-256 that is 0 or not
                            below the order. Verifications return CST_ERR_AUTH for a public key that is no point */
    CST_ERR_LIMIT = -16 /* a key of QUIC packets has reached a limit of RFC 9001, 6.6, and must not be used any more */
};

/* A short English description of an error code; a static string, never NULL. */
CST_API const char *cst_error_text(int error);
CST_API const char *cst_version(void);

/* ---- Context ------------------------------------------------------------------------------------------------------
 */

enum {
    CST_NO_JIT = 1u, /* static kernels only; no executable memory is ever made */
    CST_ALLOW_PACKS = 2u, /* let cst_pack_load take programs from the application */
    CST_CALIBRATE = 4u, /* measure the kernels, for about 3 seconds, unless cst_options.costs has them all */
    CST_ALLOW_LEGACY =
        8u /* offer the legacy suites too, whose algorithms are broken or take a time that depends on secrets */
};

typedef struct cst_options {
    size_t size; /* sizeof(cst_options); the sizes without pack_key or costs are taken too */
    uint32_t flags; /* CST_NO_JIT, CST_ALLOW_PACKS, CST_CALIBRATE, CST_ALLOW_LEGACY */
    const char *target; /* NULL, or what may be used: "host", "host-avx512f" (without that), "host-no_avx512" (without
                           any avx512 feature), "sse_aesni" (at most what kernels of that target use). It can only lower
                           the level */
    const void *pack_key; /* NULL, or 32 bytes, an Ed25519 public key (copied): cst_pack_load then takes only packs
                             signed by it */
    const char *costs; /* NULL, or the path of a cost file, which cst_costs_save or CST_CALIBRATE wrote: see below. An
                          empty path is CST_ERR_ARGUMENT */
} cst_options;

/* Costs influence which kernel is chosen, hence speed, and nothing else. A cost file that was made on this CPU
 * (brand, family, model, stepping, features after lowering) replaces what the library's tables and estimates say of the
 * kernels in it, where a kernel's code is still the same; other kernels keep theirs. A file of another CPU is left
 * aside without an error: cst_cpu_info.microarchitecture shows what decides. CST_ERR_FILE: the file cannot be read;
 * CST_ERR_COSTS: it is damaged, or not a cost file at all (a cost table, the JSON that the library is built from, is
 * none). With CST_CALIBRATE: where the file is not there, is of another CPU, or lacks a kernel that suites could run
 * here, all kernels are measured and the file is written, whole or not at all; if it cannot be, that is CST_ERR_FILE,
 * and there is no context. A damaged file is CST_ERR_COSTS all the same, and is not touched. With `costs` NULL the
 * figures live and die with the context.
 * Built in are tables that were measured on Zen 4 and Sapphire Rapids, and tables derived from them and from published
 * figures for Zen 3, Zen 5, Skylake-SP with Cascade Lake, Ice Lake-SP, Granite Rapids, Alder Lake with Raptor Lake, and
 * Arrow Lake; on any other CPU estimates from instruction counts decide, until it is measured. */

/* Detects the CPU, reads the pack. `options` may be NULL. The environment variable CRYPTOSTITCH_TARGET lowers the level
 * further (same syntax as `target`) and is ignored in set-uid programs; an unknown name there is an error
 * (CST_ERR_NAME). CRYPTOSTITCH_ANNOUNCE=perf,gdb, likewise, lets profiles and debuggers name the kernels that are
 * assembled at run time (examples/README.md, "a profile, a debugger").
 * For tests only, and ignored in set-uid programs too: CRYPTOSTITCH_CPU names another CPU ("zen3", "haswell",
 * "unknown_avx2", all by cst_list; "unknown": this one, under no name) which the library then takes for the one that it
 * runs on: features, family and model, hence the table of costs. CST_ERR_NAME: there is no such name;
 * CST_ERR_UNSUPPORTED: this CPU lacks a feature of it. */
CST_API int cst_ctx_new(cst_ctx **ctx, const cst_options *options);
/* Measures the kernels that match `glob` (NULL: all) and that suites can run on this CPU, for about `seconds`
 * altogether (up to 3600; 0: a hundredth of a second for each, at most 3), and chooses by these costs from then on.
 * Leave the machine alone meanwhile. `progress` (may be NULL) is told how many of `total` steps are done, and the
 * kernel of the next step; when it returns non-zero, measuring ends, nothing has changed, and that value is returned.
 * CST_ERR_NAME: no such kernel; CST_ERR_UNSUPPORTED: suites can run none at all. Not to be called while another thread
 * uses the context. */
CST_API int cst_calibrate(cst_ctx *ctx, const char *glob, double seconds,
                          int (*progress)(size_t done, size_t total, const char *kernel, void *arg), void *arg);
/* Writes the costs that the context has measured, or has read from cst_options.costs, as a cost file.
 * A regular file of that name is replaced in one step, or stays as it is; anything else is not replaced, nor is a
 * symbolic link followed (CST_ERR_FILE). */
CST_API int cst_costs_save(const cst_ctx *ctx, const char *path);
/* Frees the context and its suites. Keys must have been freed before. NULL is ignored. */
CST_API void cst_ctx_free(cst_ctx *ctx);

/* CST_NAME_CPU: the CPUs that CRYPTOSTITCH_CPU takes; `ctx` may be NULL then. */
enum { CST_NAME_SUITE = 1, CST_NAME_KERNEL = 2, CST_NAME_TARGET = 3, CST_NAME_CPU = 4 };
/* Writes the names of that kind nearest to `name`, separated by ", ", into `text` (always terminated). */
CST_API int cst_nearest(const cst_ctx *ctx, int kind, const char *name, char *text, size_t text_size);

/* Calls `each` with every name of that kind, sorted; stops early when it returns non-zero, and returns that value. */
CST_API int cst_list(const cst_ctx *ctx, int kind, int (*each)(const char *name, void *arg), void *arg);

typedef struct cst_cpu_info {
    size_t size; /* sizeof(cst_cpu_info), set by the caller */
    char brand[64]; /* CPUID brand string */
    uint32_t family, model, stepping;
    char microarchitecture[32]; /* whose costs decide: a cost table's name ("zen4", "generic"), "zen4 + calibrated" when
                                   some kernels were measured on this machine, "calibrated on this machine" when all
                                   were */
    char features[512]; /* comma separated: what the CPU and the OS (XCR0) offer, after lowering */
    uint32_t jit; /* 1: kernels are assembled at run time; 0: static kernels only */
    char name[32]; /* of the microarchitecture, by which cost tables are looked for, of the library's pack and of
                      others: "zen4"; "intel_family_6_model_d7" of a CPU that the library has no name for */
} cst_cpu_info;
CST_API int cst_ctx_cpu(const cst_ctx *ctx, cst_cpu_info *info);

/* ---- Suites and keys ----------------------------------------------------------------------------------------------
 */

enum { CST_DIGEST = 1, CST_MAC = 2, CST_CIPHER = 3, CST_AEAD = 4 };

typedef struct cst_suite_info {
    size_t size; /* sizeof(cst_suite_info), set by the caller; the sizes without tag_lengths and what follows, without
                    most_tag_bytes and what follows, without known_answers and what follows, and without
                    open_tag_lengths, are taken too */
    const char *name;
    int kind; /* CST_DIGEST .. CST_AEAD */
    size_t key_bytes; /* of the cipher key (or the combined key of a profile); 0: none */
    size_t mac_key_min, mac_key_max; /* of the MAC key; both 0: none */
    size_t iv_bytes; /* 0: none */
    size_t tag_min, tag_max; /* of the tag, MAC or digest (digests: exactly their size); both 0: none */
    size_t block_bytes; /* inputs of CST_SEAL must be multiples of this, a power of two; 1: any length */
    size_t expansion; /* most bytes by which the output exceeds the input (padding) */
    uint64_t max_bytes; /* longest input of CST_SEAL */
    uint64_t aad_min, aad_max; /* of the AAD; see aad_step. Together with the text it has at most 2^61 - 513 bytes */
    size_t iv_min, iv_max; /* of the IV; iv_bytes is the usual length */
    uint64_t min_bytes; /* shortest input of CST_SEAL (XTS: 16) */
    size_t key_min, key_max; /* of the cipher key; key_bytes is the usual length */
    uint64_t tag_lengths; /* bit n - 1: tags of n bytes are taken, n 1 to 64 (GCM: 4, 8, 12 to 16; CCM: 4, 6 .. 16) */
    uint64_t aad_step; /* AADs of aad_min, aad_min + aad_step .. aad_max bytes are taken (ESP: 8 and 12) */
    size_t iv_and_count_bytes; /* CCM: 15. An IV of n bytes leaves iv_and_count_bytes - n to count the text: it must
                                  have less than 2^(8 * (iv_and_count_bytes - n)) bytes. 0: no such rule */
    size_t open_block_bytes; /* the same three of inputs of CST_OPEN: they are multiples of this, */
    uint64_t open_min_bytes, open_max_bytes; /* at least and at most so long. An AEAD takes others as forged */
    uint64_t most_tag_bytes; /* of an extendable-output function (SHAKE) digests may have any length from 1 up to this,
                                and tag_max is the usual one; of all others the same as tag_max */
    uint64_t known_answers; /* that packs bring, the library's own among them, and cst_selftest checks */
    uint64_t open_tag_lengths; /* as tag_lengths, but of tags that CST_OPEN compares: of blake3-keyed and
                                  blake3-derive-key 10 bytes or more, of all others the same */
} cst_suite_info;

/* Suites live as long as the context. Unknown name: CST_ERR_NAME; no kernel for this CPU: CST_ERR_UNSUPPORTED (ciphers
 * always need AES-NI, for the key expansion). Makes the code that one small job needs; wider kernels are made when a
 * burst first wants them. */
CST_API int cst_suite_get(cst_ctx *ctx, const char *name, const cst_suite **suite);
CST_API int cst_suite_info_get(const cst_suite *suite, cst_suite_info *info);

typedef struct cst_choice {
    size_t size; /* sizeof(cst_choice), set by the caller */
    char kernel[128]; /* the kernel of the bulk phase */
    char origin[16]; /* "static" or "jit" */
    uint32_t lanes;
    double cycles_per_byte; /* of all the work, in core cycles, by measured costs; 0: there are none for this CPU, an
                               estimate decided */
    char why[512]; /* one sentence */
} cst_choice;
enum { CST_SEAL = 0, CST_OPEN = 1 };
/* Which kernel `jobs` jobs of `bytes` bytes would run on, and why. `one_key`: whether all jobs share one key. */
CST_API int cst_suite_choice(const cst_suite *suite, int direction, size_t jobs, size_t bytes, int one_key,
                             cst_choice *choice);
/* Forces the bulk kernel of a suite by kernel name (tests, experiments); NULL ends it. CST_ERR_NAME: not a kernel that
 * fits the suite. A kernel of the cipher or the hash alone also switches stitching off. Jobs that the kernel cannot do
 * (shorter than it needs, several keys for a one-key kernel, a head that its hand-over buffer does not allow) run as if
 * nothing were forced; cst_kernel_info.calls shows what ran. */
CST_API int cst_suite_force(cst_ctx *ctx, const char *suite, const char *kernel);

/* An expanded key; immutable, may be shared by threads. Digest suites take a key without bytes (all NULL and 0).
 * A profile with a combined key (a128cbc-hs256) takes it in `key` and nothing in `mac_key`. Where the suite takes a key
 * or a MAC key (key_max, mac_key_max of cst_suite_info are not 0), NULL is CST_ERR_ARGUMENT, whatever the length is: a
 * key that is not given is not an empty one. An empty MAC key, which `hmac-H` and `blake3-derive-key` take, is an
 * address and 0. The context must outlive the key. */
CST_API int cst_key_new(const cst_suite *suite, const void *key, size_t key_len, const void *mac_key,
                        size_t mac_key_len, cst_key **out);
/* Wipes and frees. NULL is ignored. */
CST_API void cst_key_free(cst_key *key);

/* The same in memory of the caller's, a session's structure for example: a key is the object that cst_key_new makes,
 * in cst_key_bytes(suite) bytes at an address that is a multiple of CST_KEY_ALIGN. It holds no address of its own
 * bytes: a copy of all of them at another such address is the same key. */
#define CST_KEY_ALIGN 64
/* What a key of that suite takes: a multiple of CST_KEY_ALIGN, from 64 (digests) over 448 (aes-128-cbc with hmac-sha1)
 * to some 4,000 (GCM with a checksum). The same for all keys of a suite; it may differ between contexts, CPUs and
 * versions of the library. 0: no suite. */
CST_API size_t cst_key_bytes(const cst_suite *suite);
/* Makes a key in `memory`, of which it is the first byte (*out == memory). CST_ERR_ARGUMENT also where `memory` is not
 * aligned; CST_ERR_LENGTH also where `bytes` is less than cst_key_bytes; CST_ERR_OVERLAP where a key's bytes lie in
 * `memory`. On an error nothing is written. Allocates nothing, but for code of kernels on the first use of a suite.
 * What the memory held before is of no account: a key that is there is best cleared first, or overwritten. The context
 * must outlive the key; different keys may be made by different threads at once. */
CST_API int cst_key_init(const cst_suite *suite, void *memory, size_t bytes, const void *key, size_t key_len,
                         const void *mac_key, size_t mac_key_len, cst_key **out);
/* Wipes a key that cst_key_init has made (and copies of it, each by itself); the memory stays the caller's. NULL is
 * ignored. Such a key is not for cst_key_free. */
CST_API void cst_key_clear(cst_key *key);

/* ---- Operations ---------------------------------------------------------------------------------------------------
 */

/* A piece of a buffer; laid out as POSIX's struct iovec. Pieces of input are only read. */
typedef struct cst_piece {
    void *data;
    size_t bytes;
} cst_piece;

/* One buffer. Pointers of length 0 may be NULL. Digests and MACs: the message is `in`, the result is `tag`; no iv,
 * aad, out. Plain ciphers: no aad, no tag, but for a checksum. CST_SEAL writes out and tag. CST_OPEN checks the tag
 * and, where the suite pads, the padding; if anything is wrong, the status is CST_ERR_AUTH, out_len is 0 and
 * out[0..in_len) is zeroed; until the call returns, it may hold plaintext that is not authenticated. So it is, for an
 * AEAD, with an in_len that nothing is sealed to (cst_suite_info: open_block_bytes, open_min_bytes, open_max_bytes,
 * iv_and_count_bytes), because that is the peer's doing: a forgery of this job alone, while a length that the caller
 * chooses (of IV, AAD, tag, room for the output) is CST_ERR_LENGTH. Opening what was padded, out_len is the length
 * without padding (and TLS's MAC), and out[out_len..in_len) is zeroed too. `out` needs room for what is written:
 * in_len, or where the suite pads (expansion > 0) the padded length for CST_SEAL and in_len for CST_OPEN. */
typedef struct cst_job {
    size_t size; /* sizeof(cst_job) */
    const cst_key *key;
    int direction; /* CST_SEAL or CST_OPEN; digests and MACs: CST_SEAL writes the tag, CST_OPEN compares it */
    int status; /* set by the call */
    const void *iv;
    size_t iv_len;
    const void *aad;
    size_t aad_len;
    const void *in;
    size_t in_len;
    void *out; /* digests and MACs: NULL, and out_cap 0 */
    size_t out_cap;
    size_t out_len; /* set by the call: bytes of the result in `out`; 0 after CST_ERR_AUTH, and of digests and MACs */
    void *tag; /* written by CST_SEAL, only read by CST_OPEN */
    size_t tag_len;
    const cst_piece *in_pieces; /* NULL, or the input in pieces: then `in` is NULL, and in_len the sum of their bytes */
    size_t n_in_pieces; /* at most 1024, else CST_ERR_ARGUMENT; 0: in_pieces is not looked at */
    const cst_piece *out_pieces; /* the same for `out` and out_cap; written from the first on. They must not overlap
                                    each other, and may overlap pieces of */
    size_t n_out_pieces; /* the input only where the same bytes lie at the same position (`in == out`) */
} cst_job;

/* Any mix of suites, keys, lengths and directions; all jobs are done on return. Every job is checked before any is
 * begun: if one has bad arguments, its status says so, nothing is written for any job, and the call returns the first
 * such error (the status of jobs that were right is 1, not run; so it is for all after CST_ERR_MEMORY). Where the size
 * of one is wrong, the array's layout is not known: CST_ERR_ARGUMENT, and no status is written. Otherwise
 * returns CST_OK, or CST_ERR_AUTH if at least one job failed to authenticate (see each status). Jobs of one burst must
 * not write what another job reads or writes: that is not checked. */
CST_API int cst_burst(cst_ctx *ctx, cst_job *jobs, size_t n);

/* cst_burst of n jobs that lie anywhere, in packets or sessions for example: jobs[i] is the address of one. Results,
 * statuses and errors are those of cst_burst; CST_ERR_ARGUMENT, without any status, also where an address is NULL or
 * misaligned. A job may be named only once. It takes some nanoseconds more a job than an array of jobs does, because it
 * copies each inside. */
CST_API int cst_burst_pointers(cst_ctx *ctx, cst_job *const *jobs, size_t n);

/* Bursts of one job. *out_len (which may be NULL) is set to the number of bytes written, unless the arguments were bad.
 */
CST_API int cst_seal(const cst_key *key, const void *iv, size_t iv_len, const void *aad, size_t aad_len, const void *in,
                     size_t in_len, void *out, size_t out_cap, size_t *out_len, void *tag, size_t tag_len);
CST_API int cst_open(const cst_key *key, const void *iv, size_t iv_len, const void *aad, size_t aad_len, const void *in,
                     size_t in_len, void *out, size_t out_cap, size_t *out_len, const void *tag, size_t tag_len);
/* Digest or MAC of one buffer. Of an extendable-output function (shake128, shake256; FIPS 202; and BLAKE3 in its three
 * modes) tag_len is as many bytes of output as are wanted; the same holds for cst_job, cst_column and cst_part. Tags
 * that CST_OPEN compares have at least 10 bytes with blake3-keyed and blake3-derive-key, as those of HMAC always have:
 * who guesses a shorter one is right too often. */
CST_API int cst_digest(const cst_key *key, const void *in, size_t in_len, void *tag, size_t tag_len);

/* Many items under one key, in the layout of Arrow's variable-size binary arrays (strings of a database's column): item
 * i is data[offsets[i] .. offsets[i + 1]). The first offset need not be 0 (a slice), an item may be empty; a bitmap of
 * nulls is the caller's. */
typedef struct cst_column {
    size_t size; /* sizeof(cst_column) */
    const cst_key *key; /* of a digest or MAC */
    const void *data; /* all data_bytes may be read, whatever the offsets name; NULL with data_bytes 0 */
    size_t data_bytes;
    const void *offsets; /* n + 1, aligned as such numbers are; not looked at if n is 0 */
    size_t offset_bytes; /* 4 (int32_t, uint32_t) or 8 (int64_t, uint64_t) */
    size_t n; /* items */
    void *tags; /* that of item i is written to tags + i * stride; must not overlap the items or the offsets */
    size_t tag_len; /* of each digest or MAC, as in cst_job */
    size_t stride; /* bytes from one to the next, at least tag_len; 0: tag_len. What lies between is not touched */
} cst_column;
/* The digest or MAC of every item: what cst_burst of n jobs makes, without a cst_job for each, and sorted by blocks
 * inside, so that any mix of lengths fills the lanes. It takes some 600 KiB of memory, whatever n is, and may be called
 * by several threads with the same key, for parts of a column.
 * CST_ERR_ARGUMENT: a null or misaligned pointer, offset_bytes, a key that enciphers. CST_ERR_LENGTH: an offset that is
 * below the one before it or above data_bytes, tag_len, stride, or a product that overflows. CST_ERR_OVERLAP,
 * CST_ERR_MEMORY. On an error nothing is written. */
CST_API int cst_digest_column(const cst_column *column);

/* Messages that lie anywhere, under one key of a digest or MAC: the i-th of n is in[i][0 .. in_len[i]), and its tag
 * goes to tags + i * stride (0: tag_len). What cst_burst makes of n jobs; for callers whose language makes arrays of
 * pointers and lengths more easily than arrays of cst_job. Errors as cst_burst's; CST_ERR_OVERLAP also where tags (from
 * the first to the last one) meet `in` or `in_len`; on an error nothing is written. That a message lies in the tag of
 * another one is not checked. May be called by several threads with the same key. */
CST_API int cst_digest_many(const cst_key *key, size_t n, const void *const *in, const size_t *in_len, void *tags,
                            size_t tag_len, size_t stride);

/* Many texts under one key of a cipher or AEAD without padding (else CST_ERR_UNSUPPORTED), in flat memory: text i is
 * in[offsets[i] .. offsets[i + 1]), and its result goes to the same place of `out`. */
typedef struct cst_text_column {
    size_t size; /* sizeof(cst_text_column) */
    const cst_key *key;
    const void *in; /* `bytes` each, or NULL with bytes 0; the same address, or apart */
    void *out;
    size_t bytes;
    const void *offsets; /* n + 1 numbers that do not fall, aligned as such; not looked at if n is 0 */
    size_t offset_bytes; /* 4 (int32_t, uint32_t) or 8 (int64_t, uint64_t) */
    size_t n; /* texts */
    const void *ivs; /* that of text i: iv_len bytes at ivs + i * iv_stride. Strides of 0 mean: one behind the other */
    size_t iv_len, iv_stride;
    const void *aads; /* the same of the AAD, and of the tags (cst_seal_column writes, cst_open_column compares them) */
    size_t aad_len, aad_stride;
    void *tags;
    size_t tag_len, tag_stride;
    int32_t *statuses; /* NULL, or n numbers: what each text came to, CST_OK or CST_ERR_AUTH. Where texts have wrong
                          lengths all are set, too: to their errors, and of texts that were right, but not run, to 1.
                          After any other error they are as they were */
} cst_text_column;
/* Give the same results as cst_burst of n jobs. CST_OK; CST_ERR_AUTH: at least one text is forged, and its output
 * zeroed. Every other error means that nothing was written but statuses: CST_ERR_ARGUMENT (a null or misaligned
 * pointer, offset_bytes, a key without a cipher), CST_ERR_LENGTH (an offset that falls or lies beyond `bytes`, a
 * stride, or a length that the suite does not take), CST_ERR_OVERLAP, CST_ERR_MEMORY. */
CST_API int cst_seal_column(const cst_text_column *column);
CST_API int cst_open_column(const cst_text_column *column);

/* sizeof(cst_job) in the library, for languages that lay out the struct by themselves. */
CST_API size_t cst_job_size(void);

/* A part of a message that is not all in memory: a digest or HMAC (not MACs of block ciphers) that goes on from call to
 * call. Parts of many messages in one call fill lanes (of BLAKE3, chunks of each part do); parts that are multiples of
 * the hash's block are not copied. */
#define CST_STATE_BYTES 2048
typedef struct cst_part {
    size_t size; /* sizeof(cst_part) */
    const cst_key *key; /* the same for all parts of a message */
    void *state; /* CST_STATE_BYTES, aligned to 8; zeros before the first part and, wiped, after the last. A copy of it
                    is a message that goes on by itself */
    const void *in;
    size_t in_len;
    int last; /* 1: the message ends with this part; 0: more follows */
    void *tag; /* of the last part: the digest or MAC is written there; else NULL */
    size_t tag_len; /* of the last part, as in cst_digest; else 0 */
} cst_part;
/* Takes in the next part of each of n messages. Of any suites; states and tags must not overlap any other buffer of
 * the call: within a part that is checked (CST_ERR_OVERLAP), between parts it is not. CST_ERR_ARGUMENT: also a state
 * that belongs to another key or that no message can have, `last` neither 0 nor 1, a tag or a tag_len before the last
 * part; CST_ERR_LENGTH: also a tag_len with the last part that the suite does not take, such as 0 where there is no
 * tag; CST_ERR_MEMORY. On an error nothing is written, for any part, and the messages can go on.
 * Damage of a state is not always seen, and may make a wrong digest, but never lets the library read or write outside
 * of the buffers. */
CST_API int cst_digest_parts(cst_ctx *ctx, const cst_part *parts, size_t n);

/* BLAKE3 of one long message by several threads: parts of it become chaining values, in any order, and these the tag.
 * All parts have the same length, a power of two from 1,024 bytes on, but for the last one, which may be shorter. A
 * message that is not longer than one part is for cst_digest. Keys are those of blake3, blake3-keyed and
 * blake3-derive-key; any thread may use them at the same time. */
#define CST_TREE_CHAIN_BYTES 32
/* Writes the chaining value of the part that begins at byte `at` of the message. CST_ERR_ARGUMENT: a null pointer;
 * CST_ERR_LENGTH: in_len is 0, or no part of such a length begins at `at`; CST_ERR_UNSUPPORTED: a key of another suite;
 * CST_ERR_OVERLAP, CST_ERR_MEMORY. On an error nothing is written. */
CST_API int cst_tree_part(const cst_key *key, uint64_t at, const void *in, size_t in_len, void *chain);
/* Writes the tag (tag_len as in cst_digest) of the message whose n parts, in their order, have these chaining values,
 * one behind the other. Errors as above; CST_ERR_LENGTH: n is less than 2, or a tag_len that cst_digest does not take.
 */
CST_API int cst_tree_root(const cst_key *key, const void *chains, size_t n, void *tag, size_t tag_len);

/* A part of a text that is not all in memory, under AES-GCM or ChaCha20-Poly1305. Opened text is not authentic before
 * the last part has returned CST_OK: until then it must not be used for anything that cannot be undone. */
typedef struct cst_text_part {
    size_t size; /* sizeof(cst_text_part) */
    const cst_key *key; /* the same for all parts of a text, and so is the direction */
    int direction; /* CST_SEAL or CST_OPEN */
    int status; /* set by the call */
    void *state; /* CST_STATE_BYTES, aligned to 8; zeros before the first part and, wiped, after the last. To go on from
                    a copy of it, too, is to seal two texts under one IV */
    const void *iv; /* of the first part; then NULL */
    size_t iv_len;
    const void *aad; /* AAD goes on from part to part, until the first byte of text */
    size_t aad_len;
    const void *in; /* any lengths; a part may have AAD alone, or nothing */
    size_t in_len;
    void *out; /* in_len bytes are written, to `in` or apart */
    size_t out_cap;
    int last; /* 1: the text ends with this part; 0: more follows */
    void *tag; /* of the last part: CST_SEAL writes the tag, CST_OPEN compares it; else NULL */
    size_t tag_len; /* of the last part, as in cst_job; else 0 */
} cst_text_part;
/* Processes the next part of each of n texts. The parts make the same bytes as the whole text does with cst_burst.
 * Every part is checked before any is begun: if one is wrong, nothing is written but statuses (1: right, but not run),
 * and the texts can go on. CST_ERR_ARGUMENT: also a state that belongs to another key or direction or that no text can
 * have, AAD behind text, `last` neither 0 nor 1, a tag or a tag_len before the last part; CST_ERR_UNSUPPORTED: of
 * another suite; CST_ERR_LENGTH: also an IV with a part that is not the first, a tag_len with the last part that the
 * suite does not take, such as 0 where there is no tag; CST_ERR_OVERLAP, within a part. States must not overlap any
 * other buffer of the call. Otherwise returns CST_OK; CST_ERR_MEMORY if that is the status of a part; or CST_ERR_AUTH
 * if a tag was wrong. A text with either status is over: its state is wiped and this part's output zeroed; what earlier
 * parts wrote is the caller's to discard. Of damaged states the same holds as with cst_digest_parts. */
CST_API int cst_text_parts(cst_ctx *ctx, cst_text_part *parts, size_t n);

/* Chunks of a text whose borders its content decides, so that an insertion moves only the borders near it: FastCDC
 * (W. Xia et al., 2020), which cuts where the crate `fastcdc` does (5.0, v2020); and a digest of each chunk. As the
 * crate's, a border within a text depends on the byte behind the chunk too, which the next chunk begins with: the bytes
 * of a chunk alone do not tell that it ends there. */
typedef struct cst_chunker cst_chunker;
typedef struct cst_chunker_options {
    size_t size; /* sizeof(cst_chunker_options) */
    const cst_key *key; /* of the digest or MAC of each chunk; it must outlive the chunker. NULL: none is made */
    size_t average_bytes; /* 256 to 2^22; 0: 8192. All three are even */
    size_t least_bytes; /* 64 to 2^20; 0: a quarter of the average */
    size_t most_bytes; /* 1024 to 2^24; 0: eight times the average, at most 2^24. Only the last chunk of a text may be
                          shorter than least_bytes */
    uint32_t normalization; /* 0 to 3: how closely lengths keep to the average; 1 is the crate's usual one */
    uint32_t flags; /* 0 */
} cst_chunker_options;
typedef struct cst_chunk {
    uint64_t offset; /* in the text */
    uint64_t bytes;
    uint8_t digest[64]; /* as many as the suite's digest has; the others are not touched */
} cst_chunk;
/* A chunker is for one thread at a time and holds up to most_bytes of a text. CST_ERR_ARGUMENT: also a key that
 * enciphers or is of another context; CST_ERR_LENGTH: the bytes or the normalization; CST_ERR_UNSUPPORTED: the context
 * has no MD5, from which the numbers of FastCDC come; CST_ERR_MEMORY, CST_ERR_JIT. */
CST_API int cst_chunker_new(cst_ctx *ctx, const cst_chunker_options *options, cst_chunker **chunker);
CST_API void cst_chunker_free(cst_chunker *chunker); /* NULL is ignored */
/* Takes the next piece of a text, of any length; the chunks are those of the whole text, whatever the pieces are. *n
 * chunks that have ended, at most `room` (at least 1), are written, and *used says how many bytes of `in` were taken:
 * all of them unless *n is `room`; then call it again with what is left, which may be nothing. last 1: the text ends
 * with this piece. Its last chunk has come when *n is below `room`, and the next text may begin. Chunks of one call are
 * hashed side by side: pieces of some hundred KiB serve best. CST_ERR_ARGUMENT, CST_ERR_LENGTH, CST_ERR_OVERLAP:
 * nothing was done; CST_ERR_MEMORY: the text cannot be gone on with. */
CST_API int cst_chunker_feed(cst_chunker *chunker, const void *in, size_t in_len, int last, cst_chunk *chunks,
                             size_t room, size_t *n, size_t *used);

/* A rolling hash, for programs that cut texts where isa-l_crypto's rolling_hash2 does: that of the last `window` bytes,
 * the exclusive-or of a 64-bit number of each byte, rotated left by one bit for each byte behind it. The numbers are
 * the fraction of pi. It detects nothing: who knows it can choose where texts are cut. */
typedef struct cst_rolling cst_rolling;
/* window: 1 to 48 bytes, else CST_ERR_LENGTH; before the first text are zeros. A rolling hash is for one thread at a
 * time. CST_ERR_ARGUMENT, CST_ERR_MEMORY. */
CST_API int cst_rolling_new(size_t window, cst_rolling **rolling);
CST_API void cst_rolling_free(cst_rolling *rolling); /* NULL is ignored */
/* Begins another text, in front of which are `window` bytes (another number: CST_ERR_LENGTH); or, bytes 0, zeros. */
CST_API int cst_rolling_reset(cst_rolling *rolling, const void *before, size_t bytes);
/* Goes on with a text, of any length, up to the first byte behind which hash & mask == trigger: *hit 1, and *used bytes
 * were taken, this one the last of them. Call it again with the rest. *hit 0: all bytes were taken. isa-l_crypto's mask
 * for a mean length, rolling_hashx_mask_gen, is the largest power of two up to it, less 1, rotated as 32 bits. Where
 * the last byte of a call is a hit, isa-l_crypto's assembly may report one byte more than the call had (window 1, text
 * `ab`, mask 1); *used is never more than in_len. */
CST_API int cst_rolling_run(cst_rolling *rolling, const void *in, size_t in_len, uint64_t mask, uint64_t trigger,
                            size_t *used, int *hit);

/* Checksums as numbers, whose digest is the same number in bytes. `key`: of a checksum (else CST_ERR_ARGUMENT, and so
 * it is for a number of more bits). *value is the checksum of what came before (of nothing: 0, of adler32 1, of a
 * cst_crc initial ^ final, with initial's bits the other way round where it is reflected), and becomes that of all with
 * `in` behind it: the parts of a text one after the other make what the whole text does. */
CST_API int cst_checksum_update(const cst_key *key, const void *in, size_t in_len, uint64_t *value);
/* A flag of copies: the output is written past the caches, with non-temporal stores. For outputs that are larger than
 * the caches, or will not be read soon; it takes less time for those, more for others, and the results are the same.
 * Whole lines go to memory where `out` is a multiple of 8 (and, of sectors, their bytes are). */
enum { CST_STREAMING = 1u };
/* Updates *value as cst_checksum_update does, and copies the text to `out`, which must overlap neither `in` nor *value
 * (CST_ERR_OVERLAP). The checksum is made of the copy, whose parts are read while they are in the first-level cache;
 * with CST_STREAMING of the text, which must not change during the call. flags: 0 or CST_STREAMING, else
 * CST_ERR_ARGUMENT. */
CST_API int cst_checksum_copy(const cst_key *key, const void *in, size_t in_len, void *out, uint32_t flags,
                              uint64_t *value);
/* The checksum of two texts one behind the other, from theirs and the second one's length (below 2^61), in some
 * microseconds, whatever that is. */
CST_API int cst_checksum_combine(const cst_key *key, uint64_t first, uint64_t second, uint64_t second_len,
                                 uint64_t *value);

/* Sectors with protection information behind the data of each: a guard, which is a checksum of the data, an application
 * tag, a storage tag (as a rule of no bits) and a reference tag, all big-endian. With a key of crc16-t10-dif it is
 * T10's (SBC-4, 4.21; NVMe's with a 16-bit guard): 8 bytes, of which the guard has 2, the application tag 2, the
 * others 4. With one of crc64-nvme it is NVMe's with a 64-bit guard (NVM Command Set, "Protection Information
 * Formats"): 16 bytes, of which the guard has 8, the application tag 2, the others 6. */
enum { CST_PI_GUARD = 1, CST_PI_APPLICATION = 2, CST_PI_REFERENCE = 4, CST_PI_STORAGE = 8 };
typedef struct cst_pi {
    size_t size; /* sizeof(cst_pi) */
    const cst_key *key;
    size_t sector_bytes; /* of data: 512, 4,096 (which NVMe's 16 bytes are for), or any other number, at least 1 */
    uint32_t type; /* 1 or 2: reference tags count up from sector to sector; 3: all of them are the same */
    uint32_t ignored; /* fields that are not compared, CST_PI_GUARD | ...; 0: all are compared */
    uint64_t reference; /* tag of the first sector, of which as many lower bits count as the field has: in type 1 the
                           number of the logical block */
    uint64_t storage_tag; /* the upper bits of what it has in common with the reference tag; */
    uint32_t storage_bits; /* how many: 0 to 32, or to 48 */
    uint32_t flags; /* 0, or CST_STREAMING for what is inserted or stripped */
    uint16_t application_tag;
    uint16_t application_ignored; /* its bits that are not compared */
} cst_pi;
/* The first sector that does not match: its index among those of the call, and all of its fields that do not,
 * CST_PI_GUARD | ... If all match, `sector` is their number and `fields` 0. */
typedef struct cst_pi_fault {
    size_t size; /* sizeof(cst_pi_fault), set by the caller */
    size_t sector;
    uint32_t fields;
} cst_pi_fault;
/* Of all three: information is not compared at all where its application tag is 0xFFFF and, in type 3, all bits of its
 * reference tag are ones. CST_ERR_ARGUMENT: a null pointer, a key of another suite, a type, an unknown field or flag, a
 * storage tag; CST_ERR_LENGTH: sectors without data, a product that overflows; CST_ERR_OVERLAP: of any two buffers.
 * Then nothing was written. They may be called by several threads with the same key. */
/* Copies n sectors of data, which lie one behind the other, and writes the information behind each. */
CST_API int cst_pi_insert(const cst_pi *pi, const void *in, size_t n, void *out);
/* Compares the information of n sectors, which lie one behind the other, each with its own behind it. CST_ERR_AUTH: a
 * sector does not match; those behind it were not looked at. `fault` may be NULL. */
CST_API int cst_pi_check(const cst_pi *pi, const void *in, size_t n, cst_pi_fault *fault);
/* Does the same, and copies the data alone. After CST_ERR_AUTH there are the sectors in front of the one that does not
 * match, zeros in its place, and nothing was written behind it. */
CST_API int cst_pi_strip(const cst_pi *pi, const void *in, size_t n, void *out, cst_pi_fault *fault);

/* A cyclic redundancy check by the parameters of the Rocksoft model, as catalogues have them. */
typedef struct cst_crc {
    size_t size; /* sizeof(cst_crc) */
    uint32_t width; /* bits, 8 to 64 */
    uint32_t reflected; /* 1: the lowest bit of a byte is the first, and so of the checksum; 0: the highest */
    uint64_t polynomial; /* without x^width, x^(width - 1) on top, reflected or not; odd */
    uint64_t initial, final; /* the register before the first byte; what it is exclusive-ored with in the end */
} cst_crc;
/* Makes a key whose digests are such checksums: 8 bytes, the number's lowest first if reflected, else its highest.
 * CST_ERR_ARGUMENT: a width that is too small or too large, a polynomial that is even, a number of more bits than the
 * width; CST_ERR_UNSUPPORTED: no kernel for this CPU. For cst_key_free; the context must outlive it. */
CST_API int cst_crc_new(cst_ctx *ctx, const cst_crc *crc, cst_key **key);

/* Erasure codes over GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1: so many blocks of data, all of one length, and so many
 * of parity, each a sum of all data times factors. In parity i the factor of data j is 1 / ((data + i) ^ j) with
 * CST_CODE_CAUCHY, where any `parity` blocks may be lost. With CST_CODE_VANDERMONDE it is x^(i j): the first parity is
 * RAID-5's P, the exclusive-or, the second RAID-6's Q, and with more some losses of so many cannot be restored.
 * Parities are those of ISA-L's gf_gen_cauchy1_matrix and gf_gen_rs_matrix. */
enum { CST_CODE_CAUCHY = 0, CST_CODE_VANDERMONDE = 1 };
typedef struct cst_code cst_code;
typedef struct cst_code_shape {
    size_t size; /* sizeof(cst_code_shape) */
    uint32_t data, parity; /* at least 1, together at most 255 */
    int matrix;
    const char *kernel; /* NULL; or, for tests, the one that does everything (CST_ERR_NAME: there is none such) */
} cst_code_shape;
/* The context must outlive the code. CST_ERR_ARGUMENT, CST_ERR_UNSUPPORTED, CST_ERR_JIT, CST_ERR_MEMORY. A code may be
 * used by several threads at the same time; cst_code_free(NULL) does nothing. */
CST_API int cst_code_new(cst_ctx *ctx, const cst_code_shape *shape, cst_code **code);
CST_API void cst_code_free(cst_code *code);
/* All of these: every block has so many bytes, any number; none that is written may overlap another (CST_ERR_OVERLAP);
 * CST_ERR_ARGUMENT: a null pointer; CST_ERR_LENGTH; CST_ERR_MEMORY. On an error nothing is written.
 * Makes the parities. */
CST_API int cst_code_encode(const cst_code *code, size_t bytes, const void *const *data, void *const *parity);
/* A block of data has changed; `change` is the exclusive-or of what it was and is. Changes the parities alike. */
CST_API int cst_code_update(const cst_code *code, size_t bytes, uint32_t index, const void *change,
                            void *const *parity);
/* blocks: all of data, then all of parity; lost[i] is not 0 where block i is lost: it is written anew, or, where its
 * pointer is NULL, left out. Which of the others are read is not promised. CST_ERR_LOST: too many, or of a Vandermonde
 * matrix those that cannot be restored. */
CST_API int cst_code_decode(const cst_code *code, size_t bytes, void *const *blocks, const uint8_t *lost);
/* *right: 1, or 0 where some parity is not that of the data. */
CST_API int cst_code_check(const cst_code *code, size_t bytes, const void *const *blocks, int *right);
/* With a checksum of every block, made while the blocks are in a cache near the core: one pass over memory. `checksum`:
 * the key of a checksum (a suite's, or cst_crc_new's; else CST_ERR_ARGUMENT). Checksums are numbers as
 * cst_checksum_update has them, first those of all data, then those of all parity; they may not overlap a block that
 * the call reads or writes (CST_ERR_OVERLAP). Otherwise as above.
 * Makes the parities, and data + parity checksums. */
CST_API int cst_code_encode_checked(const cst_code *code, const cst_key *checksum, size_t bytes,
                                    const void *const *data, void *const *parity, uint64_t *checksums);
/* cst_code_update, and the checksums of the changed block and of all parities; those of other data are not read. The
 * changed block's is made of what it was and of `change`, those of the parities of their bytes. CST_ERR_UNSUPPORTED:
 * adler32, whose sums do not follow from an exclusive-or. Use cst_code_update then, and cst_checksum_update for the
 * changed block and the parities. */
CST_API int cst_code_update_checked(const cst_code *code, const cst_key *checksum, size_t bytes, uint32_t index,
                                    const void *change, void *const *parity, uint64_t *checksums);
/* bad[i]: 1 where the checksum of block i is not checksums[i], else 0: what cst_code_decode takes as `lost`. *right: 1,
 * or 0 where a block is bad or some parity is not that of the data. `bad` has room for data + parity bytes. */
CST_API int cst_code_check_blocks(const cst_code *code, const cst_key *checksum, size_t bytes,
                                  const void *const *blocks, const uint64_t *checksums, uint8_t *bad, int *right);

/* Public-key operations, in lanes, by name:
 * "x25519" (RFC 7748, 5): `key` is a secret scalar of 32 bytes, any, and `in` the other side's public key, 32 bytes, of
 *   which the highest bit does not count. `out` receives 32 bytes: hash them before use as a key.
 * "x25519-public-key": `key` is a secret scalar; `out` receives its public key, 32 bytes.
 * "ed25519-verify" (RFC 8032, 5.1.7, without the cofactor): `key` is a public key A of 32 bytes, `in` the message,
 *   `signature` R and S, 64 bytes; nothing is written. Points of small order are taken for A and R, as the RFC has it,
 *   so that such a key may have signatures that are right for many messages; encodings of A or R that are not canonical
 *   (y not below p, or x = 0 with the sign set) and S that are not below the group's order are refused. Everything is
 *   public, and time depends on it.
 * "ed25519-verify-zip215": the same by the rules of ZIP 215, on which all parties of a consensus agree: encodings of
 *   points need not be canonical, and the equation has the cofactor.
 * "ed25519-sign": `key` is a secret key of 32 bytes, `in` the message; `out` receives the signature, 64 bytes. A key of
 *   64 bytes has its public key behind it, which saves two fifths of the time; it is not checked, and a wrong one gives
 *   the secret key away.
 * "ed25519-public-key": `key` is a secret key of 32 bytes; `out` receives its public key, 32 bytes.
 * P-256 (SP 800-186, 3.2.1.3): secret keys and numbers have 32 bytes, big-endian; a secret key is at least 1 and below
 *   the order. Points are 65 bytes, or compressed 33 (SEC 1, 2.3.3). CPUs without AVX-512 IFMA compute in general
 *   registers, one job after the other.
 * "ecdsa-p256-verify" (FIPS 186-5, 6.4.2, with SHA-256): `key` is a public key, `in` the message, `signature` r and s,
 *   64 bytes; nothing is written. A key that is no point of the curve is CST_ERR_AUTH, as any other signature that is
 *   not right. Everything is public, and time depends on it.
 * "ecdsa-p256-sign" (with the nonce of RFC 6979): `key` is a secret key, `in` the message; `out` receives r and s.
 * "ecdsa-p256-verify-digest", "ecdsa-p256-sign-digest": the same, but `in` is the message's digest by any hash, of 1 to
 *   64 bytes, of which the 32 leftmost count.
 * "ecdh-p256" (SP 800-56A, 5.7.1.2): `key` is a secret key, `in` the other side's public key; `out` receives the shared
 *   point's x, 32 bytes: hash them before use as a key.
 * "p256-public-key": `key` is a secret key; `out` receives its public key, 65 bytes.
 * RSA (RFC 8017) with 2048, 3072 or 4096 bits needs a CPU with AVX-512 IFMA; `prepared` is the private key, and k its
 * length in bytes, 256, 384 or 512:
 * "rsa-sign-pkcs1-sha256", "rsa-sign-pkcs1-sha384", "rsa-sign-pkcs1-sha512" (8.2.1): `in` is the message; `out`
 *   receives the signature, k bytes.
 * "rsa-sign-pss-sha256" (8.1.1, MGF1 with SHA-256): the same; `signature` is the salt, at most k - 34 bytes, as a rule
 *   32, which the caller draws, because the library has no random numbers.
 * These names with "-digest" behind them: `in` is the message's digest by that hash.
 * "rsa-decrypt-oaep-sha256" (7.1.2, MGF1 with SHA-256): `in` is the ciphertext, k bytes, `signature` the label (NULL:
 *   none); `out` receives the message and has room for k - 66 bytes.
 * "rsa-private": `in` is a number of k bytes, big-endian, below the modulus (else CST_ERR_ARGUMENT);
 *   `out` receives its power by the private exponent. For callers that pad by themselves.
 * Powers are computed modulo both primes, in two lanes of eight, so that four jobs of one length fill the lanes. Every
 * number is blinded by a secret number that is derived from the key's encoding by SHA-256 when the key is prepared, and
 * squared for each use; a forked process goes on with numbers of its own. Every result is checked by the public
 * exponent before it leaves. Signatures of Ed25519 and ECDSA are not checked: they are deterministic, so that one that
 * a fault of the machine has spoilt, and the right one of the same message, tell the secret key. Callers that must fear
 * faults verify each signature before it leaves. */
typedef struct cst_pk cst_pk;
typedef struct cst_pk_key cst_pk_key;
typedef struct cst_pk_job {
    size_t size; /* sizeof(cst_pk_job) */
    int status; /* set by the call */
    const void *key;
    size_t key_len;
    const void *in;
    size_t in_len;
    void *out; /* may begin where `in` or `key` does, and may meet no other byte of them, nor of `signature` */
    size_t out_cap;
    size_t out_len; /* set by the call: bytes of the result in `out`; 0 after an error */
    const void *signature; /* that is verified */
    size_t signature_len;
    const cst_pk_key *prepared; /* of the operations with keys that are prepared, in the place of `key` (key_len is 0
                                   then); of all others NULL */
} cst_pk_job;
/* The context must outlive it; several threads may use one at the same time; cst_pk_free(NULL) does nothing. kernel:
 * NULL; or, for tests, the one that does everything (of Ed25519, with those that go with it). CST_ERR_NAME: no such
 * operation or kernel; CST_ERR_UNSUPPORTED: no kernel for this CPU, of the operation or of a hash inside it;
 * CST_ERR_JIT, CST_ERR_MEMORY. */
CST_API int cst_pk_new(cst_ctx *ctx, const char *operation, const char *kernel, cst_pk **pk);
CST_API void cst_pk_free(cst_pk *pk);
/* Prepares a private key for all of RSA's operations of the same context; it outlives `pk`, and several threads may use
 * it at the same time. der: RSAPrivateKey (RFC 8017, A.1.2), or PrivateKeyInfo of PKCS#8 with it (RFC 5208, 5), not
 * encrypted; it may be wiped afterwards. A key for PSS alone (id-RSASSA-PSS without parameters: RFC 4055, 1.2) is for
 * "rsa-sign-pss-..."; with other operations a job has CST_ERR_UNSUPPORTED. CST_ERR_LENGTH: a modulus of another length;
 * CST_ERR_ARGUMENT: not such an encoding, primes that are equal, or no primes, numbers that do not belong to them, a
 * public exponent that is even, or has more than 64 bits, or an operation without prepared keys; CST_ERR_UNSUPPORTED:
 * also primes that have not half the length each, more than two of them, a private exponent that is longer than the
 * modulus, PSS with parameters, another algorithm; CST_ERR_MEMORY. cst_pk_key_free wipes it; NULL is ignored. */
CST_API int cst_pk_key_new(const cst_pk *pk, const void *der, size_t len, cst_pk_key **key);
CST_API void cst_pk_key_free(cst_pk_key *key);
/* Runs all jobs, in constant time but for verifications. Every job is checked before any is begun, as by cst_burst:
 * after CST_ERR_ARGUMENT (a null pointer; a key and a prepared key; a prepared key of another context), CST_ERR_LENGTH
 * (of key, input, signature, or room for the output), CST_ERR_UNSUPPORTED (a key for PSS alone) or CST_ERR_MEMORY
 * nothing is written, and the status of jobs that were right is 1. Else returns CST_OK, or the error of the first job
 * that has one, and the others are done: CST_ERR_POINT, a key that must not be used (with a public key of small order
 * all would share the secret: RFC 7748, 6.1), but for verifications; CST_ERR_AUTH, a signature that is not right, or a
 * ciphertext that cannot be opened, for whatever reason; CST_ERR_SELFTEST, a result of RSA that failed its check,
 * because the machine erred. That job's status says so, and its `out` is not touched. Jobs must not write what another
 * job reads or writes: that is not checked. */
CST_API int cst_pk_burst(const cst_pk *pk, cst_pk_job *jobs, size_t n);

/* A text of any length as TLS 1.1 or 1.2 records that are sealed side by side. A record is its header (type, version,
 * length of what follows; 5 bytes), the explicit IV (16) and the ciphertext. */
typedef struct cst_tls_write {
    size_t size; /* sizeof(cst_tls_write) */
    const cst_key *key; /* of a suite `...-tls` */
    uint64_t sequence; /* number of the first record; the others follow */
    uint8_t type; /* 23: application data */
    uint16_t version; /* 0x0302 or 0x0303 */
    size_t fragment; /* most bytes of the text in a record, at most 16,384; 0: what is sealed fastest, by the costs of
                        the kernels; 1,024 to 16,384 */
    const void *iv; /* 16 bytes per record, unpredictable and never used before (the library has no random numbers) */
    size_t iv_len; /* at least 16 * records; see cst_tls_seal_size */
    const void *in;
    size_t in_len; /* 0 makes one record without text */
    void *out; /* must not overlap `in` or `iv` */
    size_t out_cap;
    size_t out_len; /* set by the call: bytes of all records */
    size_t records; /* set by the call */
} cst_tls_write;
/* How many records, and bytes of output, cst_tls_seal makes of in_len bytes with that `fragment`. CST_ERR_ARGUMENT: not
 * a key for TLS; CST_ERR_LENGTH: the fragment. `records` and `bytes` may be NULL. */
CST_API int cst_tls_seal_size(const cst_key *key, size_t in_len, size_t fragment, size_t *records, size_t *bytes);
/* Nothing is written when an argument is wrong, or sequence numbers would wrap (CST_ERR_LENGTH). */
CST_API int cst_tls_seal(cst_tls_write *write);

/* ---- QUIC -----------------------------------------------------------------------------------------------------------
 */

/* Protection of QUIC packets (RFC 9001, 5): the payload is sealed with the header as AAD, and a mask, which is made of
 * a sample of the ciphertext, hides the lowest bits of the first byte and the packet number.
 *
 * A cst_quic_key holds the keys of one direction and one key phase: the AEAD's, the IV, and the header protection's.
 * `algorithm` is "aes-128-gcm", "aes-256-gcm" or "chacha20-poly1305"; tags have 16 bytes, IVs 12. Keys may be used by
 * several threads at once; the context must outlive them. A key counts the packets that it has sealed and those that it
 * could not open (6.6), across all threads.
 * `version` of the calls below: QUIC's version number, 1 (RFC 9001) or 0x6b3343cf (version 2, RFC 9369); any other is
 * CST_ERR_UNSUPPORTED. */
typedef struct cst_quic_key cst_quic_key;
#define CST_QUIC_VERSION_1 0x00000001u
#define CST_QUIC_VERSION_2 0x6b3343cfu

/* Makes a key of the bytes that "quic key", "quic iv" and "quic hp" stand for (5.1): key and hp have 16 bytes with
 * aes-128-gcm, else 32; iv has 12 (else CST_ERR_LENGTH). CST_ERR_NAME: no such algorithm; CST_ERR_UNSUPPORTED,
 * CST_ERR_JIT, CST_ERR_MEMORY. */
CST_API int cst_quic_key_new(cst_ctx *ctx, const char *algorithm, const void *key, size_t key_len, const void *iv,
                             size_t iv_len, const void *hp, size_t hp_len, cst_quic_key **out);
/* Makes a key of a traffic secret (5.1), by HKDF-Expand-Label: 48 bytes with aes-256-gcm (SHA-384), else 32 (SHA-256);
 * else CST_ERR_LENGTH. before: NULL; or, for the key after a key update (6.1), the key of the phase before, of the same
 * context and algorithm (else CST_ERR_ARGUMENT). The new key has its header protection then, which an update does not
 * change, and both have one count of packets that could not be opened, because that limit is one of all key phases
 * (6.6); `before` may be freed before it. Errors as above. */
CST_API int cst_quic_key_from_secret(cst_ctx *ctx, const char *algorithm, uint32_t version, const void *secret,
                                     size_t secret_len, const cst_quic_key *before, cst_quic_key **out);
/* Wipes and frees. NULL is ignored. */
CST_API void cst_quic_key_free(cst_quic_key *key);

typedef struct cst_quic_key_info {
    size_t size; /* sizeof(cst_quic_key_info), set by the caller */
    const char *algorithm;
    uint64_t sealed, most_sealed; /* packets so far, and the limit; UINT64_MAX: there is none */
    uint64_t failed, most_failed; /* packets that did not authenticate so far, and the limit */
} cst_quic_key_info;
CST_API int cst_quic_key_info_get(const cst_quic_key *key, cst_quic_key_info *info);

/* Writes the traffic secret that follows `secret` at a key update ("quic ku", 6.1), as long as it is; next == secret is
 * allowed. Errors as cst_quic_key_from_secret's. */
CST_API int cst_quic_next_secret(cst_ctx *ctx, const char *algorithm, uint32_t version, const void *secret,
                                 size_t secret_len, void *next);
/* Writes the secrets of Initial packets, 32 bytes each, of the client and the server (5.2), which follow from the
 * Destination Connection ID of the client's first one, of 0 to 20 bytes (else CST_ERR_LENGTH). Initial packets are
 * protected by aes-128-gcm. */
#define CST_QUIC_INITIAL_SECRET_BYTES 32
CST_API int cst_quic_initial_secrets(cst_ctx *ctx, uint32_t version, const void *connection_id,
                                     size_t connection_id_len, void *client, void *server);
/* Writes the Retry Integrity Tag (5.8), 16 bytes, of a Retry packet without it (at most 65,519 bytes, else
 * CST_ERR_LENGTH). connection_id: the Destination Connection ID of the Initial packet that it answers, of 0 to 20
 * bytes. Whoever receives a Retry packet compares this with its last 16 bytes. CST_ERR_UNSUPPORTED without AES;
 * CST_ERR_JIT, CST_ERR_MEMORY. */
#define CST_QUIC_TAG_BYTES 16
CST_API int cst_quic_retry_tag(cst_ctx *ctx, uint32_t version, const void *connection_id, size_t connection_id_len,
                               const void *packet, size_t packet_len, void *tag);

/* A packet that is sealed. It becomes header || out, both protected; where `out` lies right behind the header, that is
 * the packet as it is sent. */
typedef struct cst_quic_packet {
    size_t size; /* sizeof(cst_quic_packet) */
    const cst_quic_key *key;
    int status; /* set by the call */
    uint32_t number_len; /* bytes of the packet number in the header, 1 to 4 */
    uint64_t number; /* the packet number, below 2^62. A number that is used twice under a key lays both texts open */
    void *header; /* up to and with the packet number. The call writes the number to its last number_len bytes, and
                     number_len - 1 to the two lowest bits of its first byte; all else is the caller's: reserved bits,
                     the key phase, the Length of a long header (number_len + in_len + 16) */
    size_t header_len; /* at least 1 + number_len */
    const void *in; /* the payload; number_len + in_len is at least 4, so that there is a sample: fill up a shorter
                       payload with PADDING frames, which are zeros */
    size_t in_len; /* header_len + in_len + 16 is at most 65,535 */
    const cst_piece *in_pieces; /* NULL, or the payload in pieces, as of cst_job: then `in` is NULL */
    size_t n_in_pieces;
    void *out; /* receives in_len + 16 bytes: the payload sealed, and the tag. out == in is allowed */
    size_t out_cap;
    size_t out_len; /* set by the call, unless it refuses arguments: in_len + 16; 0 after CST_ERR_LIMIT */
} cst_quic_packet;

/* Seals n packets, under any mix of keys. Every packet is checked before any is begun: after CST_ERR_ARGUMENT (also a
 * key of another context, number_len, number), CST_ERR_LENGTH or CST_ERR_OVERLAP, which is the error of the first
 * packet that has one, and after CST_ERR_MEMORY nothing is written but statuses: the error of each packet, 1 where it
 * was right, but not run. Where the size of one is wrong: CST_ERR_ARGUMENT, and no status is written. Otherwise CST_OK,
 * or CST_ERR_LIMIT if at least one packet was not sealed, because its key has sealed as many as it may (6.6: 2^23 with
 * AES-GCM; ChaCha20-Poly1305 has no limit that could be reached): its status says so, nothing is written for it, and
 * the others are sealed. Packets must not write what another packet reads or writes: that is not checked. */
CST_API int cst_quic_seal(cst_ctx *ctx, cst_quic_packet *packets, size_t n);

/* A packet that is opened, and of which the caller knows where its number begins: it has read the connection ID, and of
 * a long header what stands before the number. Packets that share a datagram are one such struct each. */
typedef struct cst_quic_received {
    size_t size; /* sizeof(cst_quic_received) */
    const cst_quic_key *key; /* of the current key phase, or of the packet type where there are none */
    const cst_quic_key *previous, *next; /* NULL, or the keys of the phases before and after it, of the same context and
                                            algorithm (6.3, 6.5). A packet with a short header whose Key Phase bit is
                                            not `phase` is opened by `previous` if there is one and the packet's number
                                            is below the lowest one that was opened in the current phase, or none was
                                            (phase_opened), else by `next`; without that key it is taken as forged */
    uint32_t phase; /* 0 or 1: the Key Phase bit of packets under `key` */
    int status; /* set by the call */
    uint64_t phase_opened; /* one more than the lowest packet number that was opened in the current phase; 0: none
                              was */
    uint64_t expected; /* one more than the largest packet number that was opened in this packet number space, at most
                          2^62; 0: none was. The number is decoded against it (RFC 9000, A.3: expected_pn) */
    const void *in; /* the protected packet, from its first byte to the last one of its tag */
    size_t in_len; /* at most 65,535 */
    size_t number_at; /* offset of the packet number, at least 1 */
    void *out; /* receives the header without protection, and right behind it the payload: in_len - 16 bytes altogether.
                  out == in is allowed */
    size_t out_cap;
    const cst_quic_key *opened_by; /* key, previous or next. It and the rest are set, unless arguments are refused: */
    size_t header_len, payload_len; /* bytes of `out`: the header, with the packet number; the payload behind it; */
    uint32_t number_len; /* bytes of the packet number in the header; */
    uint64_t number; /* the whole packet number. Of a packet that was not opened all are 0 or NULL */
} cst_quic_received;

/* Opens n packets, under any mix of keys. Every packet is checked before any is begun, and bad arguments are refused,
 * as by cst_quic_seal; CST_ERR_ARGUMENT also for a `phase` that is neither 0 nor 1, `expected`, number_at 0, and a
 * `previous` or `next` of another context or algorithm. Otherwise CST_OK, or CST_ERR_AUTH if at least one packet was
 * not opened, and the others are. Its status says why:
 *   CST_ERR_AUTH: it is forged, damaged, belongs to another key, or its number decodes to 2^62 or more, whatever its
 *     tag; which is one error. in_len - 16 bytes of `out` are zeroed; in place only those behind the header, and the
 *     protected header and the tag are as they were. Until the call returns, `out` may hold a payload that is not
 *     authenticated.
 *   CST_ERR_LENGTH: it ends before its sample does, 20 bytes behind number_at, and is to be discarded (5.4.2); nothing
 *     is written, and `out` and out_cap are not looked at.
 *   CST_ERR_LIMIT: as many packets as may (6.6: 2^52 with AES-GCM, 2^36 with ChaCha20-Poly1305) have not been opened
 *     by `key` and the keys that share its count; nothing is written.
 * Failures are counted for `key`, whichever key was tried. The limit is looked at before each 64 packets of a call, and
 * those that are begun together may pass it by 63. The time depends
 * on lengths, that of the packet number among them, and on which tags were right: not on why one was not, nor on
 * packet numbers, nor, where a call has one packet, on key phases (9.5). Of several packets it also tells how often
 * neighbours are opened by different keys, by a few instructions each time.
 * An authentic packet may still break the protocol. The caller must check the opened header and payload for bits that
 * must be zero (RFC 9000, 17.2, 17.3.1), a packet number that was received before, and a payload without frames. */
CST_API int cst_quic_open(cst_ctx *ctx, cst_quic_received *packets, size_t n);

/* ---- Manager: jobs that come one by one
 * ------------------------------------------------------------------------------ */

/* Holds jobs back until enough of one suite and direction are there to fill lanes, but not for long. Used by one thread
 * at a time; as many managers as there are threads share a context. Packs are loaded before managers are made; the
 * context must outlive them. */
typedef struct cst_manager cst_manager;

typedef struct cst_manager_options {
    size_t size; /* sizeof(cst_manager_options) */
    size_t min_fill; /* jobs of one suite and direction that are worth a burst, at most 1024; 0: 32 */
    size_t max_age; /* a job is run before more than this many submits have followed it; 0: 256. Time is not looked at:
                       call flush when idle */
    size_t capacity; /* jobs waiting and jobs done but not taken, together; at least min_fill, at most 2^24; 0: 1024 */
} cst_manager_options;
CST_API int cst_manager_new(cst_ctx *ctx, const cst_manager_options *options, cst_manager **manager);
/* Jobs that still wait are not run. NULL is ignored. */
CST_API void cst_manager_free(cst_manager *manager);

/* Takes a job in; it and its buffers must stay where they are, untouched, until it comes back. Bad arguments are
 * refused as by cst_burst, and the job does not come back then; likewise CST_ERR_FULL, before they are looked at, and
 * CST_ERR_MEMORY, which only the first job of a suite and direction can meet. What cst_burst would find forged by its
 * length alone is taken in, and comes back as a forgery. May run waiting jobs, this one among them. */
CST_API int cst_manager_submit(cst_manager *manager, cst_job *job);
/* The next finished job, or NULL. Every submitted job comes back exactly once, in the order in which jobs were
 * finished: bursts one after the other, inside a burst as submitted; jobs of one suite and direction therefore in the
 * order of their submits. See its `status` and `out_len`. */
CST_API cst_job *cst_manager_take(cst_manager *manager);
/* Runs everything that waits. CST_OK, however many jobs did not authenticate: each job's status says so when it is
 * taken. CST_ERR_ARGUMENT: no manager. Nothing else can fail: what is needed was allocated before. */
CST_API int cst_manager_flush(cst_manager *manager);
/* Takes back a job that still waits: its buffers are as they were, its status is 1, it does not come out of take.
 * CST_ERR_ARGUMENT: it does not wait. */
CST_API int cst_manager_cancel(cst_manager *manager, cst_job *job);

typedef struct cst_manager_info {
    size_t size; /* sizeof(cst_manager_info), set by the caller */
    size_t min_fill, max_age, capacity;
    size_t waiting, done; /* jobs; done: not taken yet */
    uint64_t jobs, bursts; /* so far, cancelled jobs among them. Where none waits or was cancelled, jobs per burst is
                              the fill */
    uint64_t full, aged, flushed; /* bursts by what began them: min_fill, max_age, flush */
} cst_manager_info;
CST_API int cst_manager_info_get(const cst_manager *manager, cst_manager_info *info);

/* Public-key jobs that come one by one: holds them back until enough of one operation are there to fill lanes. Used by
 * one thread at a time; the context, and all operations and keys of jobs inside, must outlive it. options: those of
 * cst_manager_new, of an operation (a cst_pk) instead of a suite and direction; min_fill 0: 8. */
typedef struct cst_pk_manager cst_pk_manager;
CST_API int cst_pk_manager_new(cst_ctx *ctx, const cst_manager_options *options, cst_pk_manager **manager);
/* Jobs that still wait are not run. NULL is ignored. */
CST_API void cst_pk_manager_free(cst_pk_manager *manager);
/* Takes a job in; it and its buffers must stay where they are, untouched, until it comes back. Bad arguments are
 * refused as by cst_pk_burst, and the job does not come back then; CST_ERR_FULL likewise. May run waiting jobs, this
 * one among them. */
CST_API int cst_pk_manager_submit(cst_pk_manager *manager, const cst_pk *pk, cst_pk_job *job);
/* The next finished job, or NULL: every submitted job comes back exactly once, those of one operation in the order of
 * their submits. See its `status` and `out_len`; CST_ERR_MEMORY: it was not run. */
CST_API cst_pk_job *cst_pk_manager_take(cst_pk_manager *manager);
/* Runs everything that waits. */
CST_API int cst_pk_manager_flush(cst_pk_manager *manager);
/* Takes back a job that still waits. CST_ERR_ARGUMENT: it does not wait. */
CST_API int cst_pk_manager_cancel(cst_pk_manager *manager, cst_pk_job *job);

/* ---- Raw kernels (experts) ----------------------------------------------------------------------------------------
 */

struct cst_kernel_args {
    uint64_t
        iterations; /* of the kernel: every lane advances by its stream's `bytes` in each. More than the kernel's lag */
    void *state[4]; /* one state block per stream, aligned as its info says. Of a kernel whose stream has the field
                       `text_in` or `padded_in` an iteration is a message, the state block a cst_job that fits the
                       kernel, and this a pointer to as many pointers to jobs as there are iterations */
};
typedef void (*cst_kernel_fn)(const struct cst_kernel_args *args);

typedef struct cst_kernel_info {
    size_t size; /* sizeof(cst_kernel_info), set by the caller */
    const char *name, *target, *origin;
    cst_kernel_fn function;
    const void *code; /* the first byte, and the number of bytes, constants included */
    size_t code_bytes;
    uint64_t assembled_ns; /* time to assemble and publish; 0 for static kernels */
    uint32_t streams, lag;
    uint64_t calls; /* made by bursts and keys of this context so far. Of many threads: a few may be left out */
} cst_kernel_info;

typedef struct cst_stream_info {
    size_t size; /* sizeof(cst_stream_info), set by the caller */
    const char *name;
    uint32_t lanes, bytes; /* per lane and iteration */
    size_t state_bytes, state_align;
} cst_stream_info;

typedef struct cst_field {
    size_t size; /* sizeof(cst_field), set by the caller */
    uint32_t offset, rows, row_bytes, entry_bytes, lanes, shared;
    const uint16_t *lane_offsets; /* `lanes` entries */
} cst_field;

/* Assembles the kernel on first use; lives as long as the context. */
CST_API int cst_kernel_get(cst_ctx *ctx, const char *name, const cst_kernel **kernel);
CST_API int cst_kernel_info_get(const cst_kernel *kernel, cst_kernel_info *info);
CST_API int cst_kernel_stream(const cst_kernel *kernel, uint32_t stream, cst_stream_info *info);
/* A field of a stream's state block by name ("in", "out", "chain", "key", ...); CST_ERR_NAME when it has none. */
CST_API int cst_kernel_field(const cst_kernel *kernel, uint32_t stream, const char *name, cst_field *field);

/* Adds the programs and kernels of a pack (copied). Off (CST_ERR_UNSUPPORTED) unless the context was made with
 * CST_ALLOW_PACKS. Before anything is assembled, every program is checked: known instructions only, with declared CPU
 * features; registers and memory within its contract. A pack that fails is CST_ERR_PACK and leaves the context as it
 * was. What a program computes, and whether it takes the same time for all secrets, cannot be checked: load only packs
 * whose maker you trust. A signed pack is the pack, the eight bytes "CSTSIGN" and NUL, and 64 bytes: the Ed25519
 * signature (RFC 8032, pure, no context) of all bytes of the pack; this trailer does not count in the size that the
 * pack states. With cst_options.pack_key the copy's signature is verified before any of it is interpreted, and a pack
 * without a right one is CST_ERR_PACK; without pack_key the trailer is ignored. Not to be called while other threads
 * use the context. */
CST_API int cst_pack_load(cst_ctx *ctx, const void *bytes, size_t size);
/* The checks of cst_pack_load without a context (algorithms of other packs are not compared, a signature is not
 * verified). For CST_ERR_PACK one English sentence, cut where `text` ends and always terminated, says why; with CST_OK
 * and CST_ERR_MEMORY the text is empty, and with wrong arguments it is not written. `text` may be NULL with text_size
 * 0. */
CST_API int cst_pack_check(const void *bytes, size_t size, char *text, size_t text_size);

/* Runs known answers through every suite and kernel that matches `glob` (NULL: all) and that this CPU can run. `each`
 * (may be NULL) is told the name and the result (CST_OK, CST_ERR_SELFTEST, or CST_ERR_UNSUPPORTED for a skip). Returns
 * CST_OK or the first failure; CST_ERR_NAME where no suite or kernel matches. */
CST_API int cst_selftest(cst_ctx *ctx, const char *glob, void (*each)(const char *name, int result, void *arg),
                         void *arg);

#ifdef __cplusplus
}
#endif
#endif
