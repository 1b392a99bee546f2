/* Runs what it is told through the interface of a libIPSec_MB.so.1, and says what came of it.
 *
 * ipsec-mb-jobs LIBRARY HOW < lines: each line is a job, fields between spaces, bytes in hexadecimal, "-" for none:
 *
 *   cipher hash direction order key mac_key iv aad tag_len cipher_at cipher_len hash_at hash_len place text
 *
 * with the numbers of the interface's enums. place: 0 in place, 1 out of place, 2 out of place with the hash over the
 * output (whose address is then behind or in front of src, as DPDK has it), 3 in place with GCM's AAD in the text, from
 * its 21st byte on. HOW: "flush" (all are submitted, then flushed), "each" (flushed after each; keys of GCM lie in one
 * place), "burst", "nocheck", "fork" (a child, which points the manager anew, flushes). For each job that comes back:
 * its number, status, error, what it left of its buffer (out of place: of dst), and the tag. Buffers are exactly as
 * long as said, each in memory of its own. A cipher of "gcm", "chacha" or "gmac" is a call of the direct functions
 * instead: hash is the number of bytes in a piece (0: at once).
 *
 * Keys: what a caller of the interface does with them. Exit 0, or 2 with a word on stderr. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_COMPAT_IMB_API_053
#include <intel-ipsec-mb.h>

enum { MOST_JOBS = 200, MOST_LINE = 1 << 17, FIELDS = 15, MOST_TAG = 64, FILLER = 0xa5 };

typedef struct {
    uint8_t *bytes;
    size_t n;
} Bytes;

/* What of a job must stay until it comes back. */
typedef struct {
    unsigned long field[FIELDS];
    Bytes key, mac_key, iv, aad, text;
    uint8_t *dst;
    uint8_t tag[MOST_TAG];
    DECLARE_ALIGNED(uint8_t encrypt[16 * 15], 64);
    DECLARE_ALIGNED(uint8_t decrypt[16 * 15], 64);
    DECLARE_ALIGNED(uint8_t inner[64], 64);
    DECLARE_ALIGNED(uint8_t outer[64], 64);
    DECLARE_ALIGNED(uint8_t mac[16 * 15], 64);
    struct gcm_key_data *gcm; /* ends where nothing may be read */
    uint64_t des[3][IMB_DES_KEY_SCHED_SIZE / 8];
    const void *des_keys[3];
    struct gcm_context_data gcm_context;
    struct chacha20_poly1305_context_data chacha_context;
} Work;

static IMB_MGR *manager;
/* "each": one place for the keys of GCM of all jobs, which are done before the next begins. */
static struct gcm_key_data *only_gcm;
static int (*error_of)(IMB_MGR *);
static uint32_t (*set_session)(IMB_MGR *, IMB_JOB *); /* NULL: before version 2.0 */
static IMB_MGR *(*point)(void *, uint64_t, unsigned);

static struct gcm_key_data *gcm_of(Work *work) { return only_gcm ? only_gcm : work->gcm; }

static void stop(const char *why) {
    fprintf(stderr, "ipsec-mb-jobs: %s\n", why);
    exit(2);
}

static Bytes bytes_of(const char *hex) {
    Bytes bytes = {NULL, 0};
    if (strcmp(hex, "-") == 0) return bytes;
    bytes.n = strlen(hex) / 2;
    bytes.bytes = malloc(bytes.n);
    if (!bytes.bytes) stop("no memory");
    for (size_t i = 0; i < bytes.n; i++) {
        unsigned byte;
        if (sscanf(hex + 2 * i, "%2x", &byte) != 1) stop("no hexadecimal");
        bytes.bytes[i] = (uint8_t)byte;
    }
    return bytes;
}

static void print_bytes(const uint8_t *bytes, size_t n) {
    if (!n) putchar('-');
    for (size_t i = 0; i < n; i++) printf("%02x", bytes[i]);
}

/* ---- Keys ---- */

static struct gcm_key_data *gcm_at_a_page_end(void) {
    const size_t page = 4096;
    uint8_t *const pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE)) stop("no memory");
    return (struct gcm_key_data *)(pages + page) - 1;
}

static void expand_hmac(Work *work, hash_one_block_t one_block, hash_fn_t hash, size_t block) {
    uint8_t key[128] = {0}, pad[128];
    if (work->mac_key.n > block) {
        if (!hash) stop("no hash for a long key");
        hash(work->mac_key.bytes, work->mac_key.n, key);
    } else if (work->mac_key.n) {
        memcpy(key, work->mac_key.bytes, work->mac_key.n);
    }
    for (size_t i = 0; i < block; i++) pad[i] = key[i] ^ 0x36;
    one_block(pad, work->inner);
    for (size_t i = 0; i < block; i++) pad[i] = key[i] ^ 0x5c;
    one_block(pad, work->outer);
}

static void expand_mac(Work *work, IMB_JOB *job) {
    uint8_t unused[16 * 15];
    switch (job->hash_alg) {
        case IMB_AUTH_MD5: expand_hmac(work, manager->md5_one_block, NULL, 64); break;
        case IMB_AUTH_HMAC_SHA_1: expand_hmac(work, manager->sha1_one_block, manager->sha1, 64); break;
        case IMB_AUTH_HMAC_SHA_224: expand_hmac(work, manager->sha224_one_block, manager->sha224, 64); break;
        case IMB_AUTH_HMAC_SHA_256: expand_hmac(work, manager->sha256_one_block, manager->sha256, 64); break;
        case IMB_AUTH_HMAC_SHA_384: expand_hmac(work, manager->sha384_one_block, manager->sha384, 128); break;
        case IMB_AUTH_HMAC_SHA_512: expand_hmac(work, manager->sha512_one_block, manager->sha512, 128); break;
        case IMB_AUTH_AES_XCBC:
            manager->xcbc_keyexp(work->mac_key.bytes, work->mac, work->inner, work->outer);
            job->u.XCBC._k1_expanded = (const uint32_t *)work->mac;
            job->u.XCBC._k2 = work->inner;
            job->u.XCBC._k3 = work->outer;
            return;
        case IMB_AUTH_AES_CMAC:
        case IMB_AUTH_AES_CMAC_BITLEN:
        case IMB_AUTH_AES_CMAC_256:
            (job->hash_alg == IMB_AUTH_AES_CMAC_256 ? manager->keyexp_256 : manager->keyexp_128)(work->mac_key.bytes,
                                                                                                 work->mac, unused);
            (job->hash_alg == IMB_AUTH_AES_CMAC_256 ? manager->cmac_subkey_gen_256 : manager->cmac_subkey_gen_128)(
                work->mac, work->inner, work->outer);
            job->u.CMAC._key_expanded = work->mac;
            job->u.CMAC._skey1 = work->inner;
            job->u.CMAC._skey2 = work->outer;
            return;
        case IMB_AUTH_AES_GMAC_128:
        case IMB_AUTH_AES_GMAC_192:
        case IMB_AUTH_AES_GMAC_256:
            (job->hash_alg == IMB_AUTH_AES_GMAC_128   ? manager->gcm128_pre
             : job->hash_alg == IMB_AUTH_AES_GMAC_192 ? manager->gcm192_pre
                                                      : manager->gcm256_pre)(work->mac_key.bytes, gcm_of(work));
            job->u.GMAC._key = gcm_of(work);
            job->u.GMAC._iv = work->iv.bytes;
            job->u.GMAC.iv_len_in_bytes = work->iv.n;
            return;
        case IMB_AUTH_GHASH:
            manager->ghash_pre(work->mac_key.bytes, gcm_of(work));
            memset(work->inner, 0, 16);
            job->u.GHASH._key = gcm_of(work);
            job->u.GHASH._init_tag = work->inner;
            return;
        case IMB_AUTH_POLY1305: job->u.POLY1305._key = work->mac_key.bytes; return;
        default: return;
    }
    job->u.HMAC._hashed_auth_key_xor_ipad = work->inner;
    job->u.HMAC._hashed_auth_key_xor_opad = work->outer;
}

static void expand_gcm(Work *work) {
    switch (work->key.n) {
        case 16: manager->gcm128_pre(work->key.bytes, gcm_of(work)); break;
        case 24: manager->gcm192_pre(work->key.bytes, gcm_of(work)); break;
        case 32: manager->gcm256_pre(work->key.bytes, gcm_of(work)); break;
        default: break;
    }
}

static void expand_cipher(Work *work, IMB_JOB *job) {
    job->enc_keys = work->encrypt;
    job->dec_keys = work->decrypt;
    job->key_len_in_bytes = work->key.n;
    switch (job->cipher_mode) {
        case IMB_CIPHER_NULL: return;
        case IMB_CIPHER_GCM:
        case IMB_CIPHER_GCM_SGL:
            expand_gcm(work);
            job->enc_keys = job->dec_keys = gcm_of(work);
            if (job->cipher_mode == IMB_CIPHER_GCM_SGL) return;
            if (job->cipher_direction == IMB_DIR_ENCRYPT) job->dec_keys = NULL;
            else job->enc_keys = NULL;
            return;
        case IMB_CIPHER_CHACHA20:
        case IMB_CIPHER_CHACHA20_POLY1305:
        case IMB_CIPHER_CHACHA20_POLY1305_SGL: job->enc_keys = job->dec_keys = work->key.bytes; return;
        case IMB_CIPHER_DES3:
            for (int i = 0; i < 3; i++) {
                manager->des_key_sched(work->des[i], work->key.bytes + 8 * i);
                work->des_keys[i] = work->des[i];
            }
            job->enc_keys = job->dec_keys = work->des_keys;
            return;
        default: break;
    }
    switch (work->key.n) {
        case 16: manager->keyexp_128(work->key.bytes, work->encrypt, work->decrypt); break;
        case 24: manager->keyexp_192(work->key.bytes, work->encrypt, work->decrypt); break;
        case 32: manager->keyexp_256(work->key.bytes, work->encrypt, work->decrypt); break;
        default: break;
    }
}

/* ---- Jobs ---- */

/* The caller's own cipher and hash: all bits inverted, which fails where the IV has one byte; a sum of bytes. */
static int invert(IMB_JOB *job) {
    const uint8_t *const from = job->src + job->cipher_start_src_offset_in_bytes;
    if (job->iv_len_in_bytes == 1) return 1;
    for (uint64_t i = 0; i < job->msg_len_to_cipher_in_bytes; i++) job->dst[i] = (uint8_t)~from[i];
    return 0;
}

static int add_up(IMB_JOB *job) {
    const uint8_t *const from = job->src + job->hash_start_src_offset_in_bytes;
    uint8_t sum = 0;
    for (uint64_t i = 0; i < job->msg_len_to_hash_in_bytes; i++) sum = (uint8_t)(sum + from[i]);
    memset(job->auth_tag_output, sum, job->auth_tag_output_len_in_bytes);
    return 0;
}

static int is_apart(const Work *work) { return work->field[13] == 1 || work->field[13] == 2; }

static void fill_job(Work *work, IMB_JOB *job) {
    const unsigned long *f = work->field;
    memset(job, 0, sizeof(*job));
    job->cipher_mode = (IMB_CIPHER_MODE)f[0];
    job->hash_alg = (IMB_HASH_ALG)f[1];
    job->cipher_direction = (IMB_CIPHER_DIRECTION)f[2];
    job->chain_order = (IMB_CHAIN_ORDER)f[3];
    job->auth_tag_output = work->tag;
    job->auth_tag_output_len_in_bytes = f[8];
    job->src = work->text.bytes;
    job->dst = is_apart(work) ? work->dst : work->text.bytes + f[9];
    job->cipher_start_src_offset_in_bytes = f[9];
    job->msg_len_to_cipher_in_bytes = f[10];
    job->hash_start_src_offset_in_bytes = f[11];
    if (f[13] == 2) job->hash_start_src_offset_in_bytes = (uint64_t)(job->dst - job->src) + f[11] - f[9];
    job->msg_len_to_hash_in_bytes = f[12];
    job->iv = work->iv.bytes;
    job->iv_len_in_bytes = work->iv.n;
    job->user_data = work;
    job->cipher_func = invert;
    job->hash_func = add_up;
    expand_cipher(work, job);
    expand_mac(work, job);
    if (job->hash_alg == IMB_AUTH_AES_GMAC || job->hash_alg == IMB_AUTH_GCM_SGL) {
        job->u.GCM.aad = f[13] == 3 ? work->text.bytes + f[9] + 20 : work->aad.bytes;
        job->u.GCM.aad_len_in_bytes = work->aad.n;
        job->u.GCM.ctx = &work->gcm_context;
    } else if (job->hash_alg == IMB_AUTH_AES_CCM) {
        job->u.CCM.aad = work->aad.bytes;
        job->u.CCM.aad_len_in_bytes = work->aad.n;
    } else if (job->hash_alg == IMB_AUTH_CHACHA20_POLY1305 || job->hash_alg == IMB_AUTH_CHACHA20_POLY1305_SGL) {
        job->u.CHACHA20_POLY1305.aad = work->aad.bytes;
        job->u.CHACHA20_POLY1305.aad_len_in_bytes = work->aad.n;
        job->u.CHACHA20_POLY1305.ctx = &work->chacha_context;
    }
}

/* Until a job is taken, its error is the manager's. */
static Work *works;
static int errors[MOST_JOBS];

static void report(const Work *work, int status) {
    const int number = (int)(work - works);
    printf("%d %d %d ", number, status, errors[number]);
    if (is_apart(work)) print_bytes(work->dst, work->text.n);
    else print_bytes(work->text.bytes, work->text.n);
    putchar(' ');
    print_bytes(work->tag, MOST_TAG);
    putchar('\n');
}

static void report_all(IMB_JOB *job) {
    for (; job; job = manager->get_completed_job(manager)) report(job->user_data, (int)job->status);
}

static void submit(Work *work, int checked, int each) {
    IMB_JOB *const job = manager->get_next_job(manager);
    fill_job(work, job);
    IMB_JOB *const done = checked ? manager->submit_job(manager) : manager->submit_job_nocheck(manager);
    errors[work - works] = error_of(manager);
    report_all(done);
    while (each && manager->queue_size(manager)) report_all(manager->flush_job(manager));
}

static void submit_all(unsigned n) {
    IMB_JOB *jobs[IMB_MAX_BURST_SIZE];
    if (n > IMB_MAX_BURST_SIZE) stop("too many jobs for a burst");
    if (manager->get_next_burst(manager, n, jobs) != n) stop("no room");
    for (unsigned i = 0; i < n; i++) fill_job(&works[i], jobs[i]);
    for (unsigned i = 0; set_session && i < n; i++) set_session(manager, jobs[i]);
    uint32_t done = manager->submit_burst(manager, n, jobs);
    const int error = error_of(manager);
    if (!done && error) {
        errors[(Work *)jobs[0]->user_data - works] = error;
        return report(jobs[0]->user_data, (int)jobs[0]->status);
    }
    for (;;) {
        for (uint32_t i = 0; i < done; i++) report(jobs[i]->user_data, (int)jobs[i]->status);
        if (!manager->queue_size(manager)) return;
        done = manager->flush_burst(manager, IMB_MAX_BURST_SIZE, jobs);
    }
}

/* ---- Direct functions ---- */

static void run_gcm(Work *work, int opens, size_t piece) {
    const size_t key = work->key.n / 8 - 2;
    const aes_gcm_enc_dec_t once[2][3] = {{manager->gcm128_enc, manager->gcm192_enc, manager->gcm256_enc},
                                          {manager->gcm128_dec, manager->gcm192_dec, manager->gcm256_dec}};
    const aes_gcm_init_var_iv_t begin[3] = {manager->gcm128_init_var_iv, manager->gcm192_init_var_iv,
                                            manager->gcm256_init_var_iv};
    const aes_gcm_enc_dec_update_t go_on[2][3] = {
        {manager->gcm128_enc_update, manager->gcm192_enc_update, manager->gcm256_enc_update},
        {manager->gcm128_dec_update, manager->gcm192_dec_update, manager->gcm256_dec_update}};
    const aes_gcm_enc_dec_finalize_t end[2][3] = {
        {manager->gcm128_enc_finalize, manager->gcm192_enc_finalize, manager->gcm256_enc_finalize},
        {manager->gcm128_dec_finalize, manager->gcm192_dec_finalize, manager->gcm256_dec_finalize}};
    expand_gcm(work);
    if (!piece) {
        once[opens][key](gcm_of(work), &work->gcm_context, work->dst, work->text.bytes, work->text.n, work->iv.bytes,
                         work->aad.bytes, work->aad.n, work->tag, work->field[8]);
        return;
    }
    begin[key](gcm_of(work), &work->gcm_context, work->iv.bytes, work->iv.n, work->aad.bytes, work->aad.n);
    for (size_t at = 0; at < work->text.n; at += piece) {
        const size_t n = work->text.n - at < piece ? work->text.n - at : piece;
        go_on[opens][key](gcm_of(work), &work->gcm_context, work->dst + at, work->text.bytes + at, n);
    }
    end[opens][key](gcm_of(work), &work->gcm_context, work->tag, work->field[8]);
}

/* The same by jobs that are steps of a message. The first and the last have no text, whatever their length says. */
static void run_gcm_steps(Work *work, int opens, size_t piece) {
    const size_t all = work->text.n, steps = 2 + (all + piece - 1) / piece;
    expand_gcm(work);
    for (size_t step = 0; step < steps; step++) {
        const size_t at = step ? (step - 1) * piece : 0;
        IMB_JOB *job = manager->get_next_job(manager);
        memset(job, 0, sizeof(*job));
        job->cipher_mode = IMB_CIPHER_GCM_SGL;
        job->hash_alg = IMB_AUTH_GCM_SGL;
        job->cipher_direction = opens ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
        job->chain_order = opens ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
        job->enc_keys = job->dec_keys = gcm_of(work);
        job->key_len_in_bytes = work->key.n;
        job->sgl_state = !step ? IMB_SGL_INIT : step + 1 < steps ? IMB_SGL_UPDATE : IMB_SGL_COMPLETE;
        job->src = work->text.bytes + (at < all ? at : 0);
        job->dst = work->dst + (at < all ? at : 0);
        job->msg_len_to_cipher_in_bytes = at < all && all - at < piece ? all - at : piece < all ? piece : all;
        job->iv = work->iv.bytes;
        job->iv_len_in_bytes = work->iv.n;
        job->u.GCM.aad = work->aad.bytes;
        job->u.GCM.aad_len_in_bytes = work->aad.n;
        job->u.GCM.ctx = &work->gcm_context;
        job->auth_tag_output = work->tag;
        job->auth_tag_output_len_in_bytes = work->field[8];
        job = manager->submit_job(manager);
        if (!job || job->status != IMB_STATUS_COMPLETED) stop("a step was not done");
    }
}

static void run_gmac(Work *work, size_t piece) {
    const size_t key = work->key.n / 8 - 2;
    const aes_gmac_init_t begin[3] = {manager->gmac128_init, manager->gmac192_init, manager->gmac256_init};
    const aes_gmac_update_t go_on[3] = {manager->gmac128_update, manager->gmac192_update, manager->gmac256_update};
    const aes_gmac_finalize_t end[3] = {manager->gmac128_finalize, manager->gmac192_finalize,
                                        manager->gmac256_finalize};
    expand_gcm(work);
    begin[key](gcm_of(work), &work->gcm_context, work->iv.bytes, work->iv.n);
    for (size_t at = 0; at < work->text.n; at += piece)
        go_on[key](gcm_of(work), &work->gcm_context, work->text.bytes + at,
                   work->text.n - at < piece ? work->text.n - at : piece);
    end[key](gcm_of(work), &work->gcm_context, work->tag, work->field[8]);
}

static void run_chacha(Work *work, int opens, size_t piece) {
    manager->chacha20_poly1305_init(work->key.bytes, &work->chacha_context, work->iv.bytes, work->aad.bytes,
                                    work->aad.n);
    for (size_t at = 0; at < work->text.n; at += piece)
        (opens ? manager->chacha20_poly1305_dec_update : manager->chacha20_poly1305_enc_update)(
            work->key.bytes, &work->chacha_context, work->dst + at, work->text.bytes + at,
            work->text.n - at < piece ? work->text.n - at : piece);
    manager->chacha20_poly1305_finalize(&work->chacha_context, work->tag, work->field[8]);
}

static int run_direct(const char *name, Work *work) {
    const int opens = work->field[2] == IMB_DIR_DECRYPT;
    if (strcmp(name, "gcm") == 0) run_gcm(work, opens, work->field[1]);
    else if (strcmp(name, "gcm-steps") == 0) run_gcm_steps(work, opens, work->field[1]);
    else if (strcmp(name, "gmac") == 0) run_gmac(work, work->field[1]);
    else if (strcmp(name, "chacha") == 0) run_chacha(work, opens, work->field[1]);
    else return 0;
    work->field[13] = 1;
    errors[work - works] = error_of(NULL);
    report(work, IMB_STATUS_COMPLETED);
    return 1;
}

static void open_library(const char *path) {
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) stop(dlerror());
    size_t (*size)(void);
    void (*start)(IMB_MGR *, IMB_ARCH *);
    *(void **)&size = dlsym(library, "imb_get_mb_mgr_size");
    *(void **)&point = dlsym(library, "imb_set_pointers_mb_mgr");
    *(void **)&start = dlsym(library, "init_mb_mgr_auto");
    *(void **)&error_of = dlsym(library, "imb_get_errno");
    *(void **)&set_session = dlsym(library, "imb_set_session");
    if (!size || !point || !start || !error_of) stop("not that library");
    void *const memory = aligned_alloc(64, size());
    manager = memory ? point(memory, 0, 1) : NULL;
    if (!manager) stop("no manager");
    start(manager, NULL);
    if (error_of(manager)) stop("the manager does not start");
}

int main(int n_arguments, char **arguments) {
    static char line[MOST_LINE];
    unsigned n = 0;
    if (n_arguments != 3) stop("wants LIBRARY HOW");
    open_library(arguments[1]);
    const char *const how = arguments[2];
    works = aligned_alloc(64, MOST_JOBS * ((sizeof(Work) + 63) / 64 * 64));
    if (!works) stop("no memory");
    memset(works, 0, MOST_JOBS * sizeof(Work));
    if (strcmp(how, "each") == 0) only_gcm = gcm_at_a_page_end();
    while (fgets(line, sizeof(line), stdin)) {
        if (n == MOST_JOBS) stop("too many jobs");
        char *fields[FIELDS];
        char *rest = NULL;
        for (int i = 0; i < FIELDS; i++)
            if (!(fields[i] = strtok_r(i ? NULL : line, " \n", &rest))) stop("too few fields");
        Work *const work = &works[n++];
        work->gcm = gcm_at_a_page_end();
        for (int i = 0; i < FIELDS; i++) work->field[i] = strtoul(fields[i], NULL, 0);
        work->key = bytes_of(fields[4]);
        work->mac_key = bytes_of(fields[5]);
        work->iv = bytes_of(fields[6]);
        work->aad = bytes_of(fields[7]);
        work->text = bytes_of(fields[14]);
        work->dst = malloc(work->text.n + 1);
        if (!work->dst) stop("no memory");
        memset(work->dst, FILLER, work->text.n);
        memset(work->tag, FILLER, sizeof(work->tag));
        if (run_direct(fields[0], work)) continue;
        if (strcmp(how, "burst") != 0) submit(work, strcmp(how, "nocheck") != 0, strcmp(how, "each") == 0);
    }
    if (strcmp(how, "burst") == 0) submit_all(n);
    if (strcmp(how, "fork") == 0) {
        int status = 0;
        fflush(stdout);
        if (fork()) {
            if (wait(&status) < 0 || status) stop("the child failed");
            return 0;
        }
        manager = point(manager, 0, 0);
    }
    while (manager->queue_size(manager)) report_all(manager->flush_job(manager));
    return 0;
}
