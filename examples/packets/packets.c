/* ESP packets of a thousand sessions that come one by one: a manager seals them, and holds some back until lanes fill.
 *
 *     packets [PACKETS [MIN_FILL[:MAX_AGE]...]]
 *
 * Half of the sessions have AES-128-GCM (RFC 4106), half AES-128-CBC with HMAC-SHA1-96 (RFC 2404, RFC 3602). Texts have
 * 64 to 1,463 bytes, of CBC rounded down to blocks. A line for each MIN_FILL and MAX_AGE (by default four times it)
 * tells how many packets were sealed in a second of the thread's own time, how many at once, and how long a packet
 * waited. Every packet is opened again.
 */
#define _POSIX_C_SOURCE 199309L
#include <cryptostitch/cryptostitch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SESSIONS = 1000, MOST_TEXT = 1463, ROOM = 1536, MOST_WAITING = 1024 };

struct session {
    cst_key *key;
    uint32_t spi, sequence;
    uint8_t salt[4]; /* GCM: the first bytes of the nonce */
    int gcm;
};

/* A job is a part of its packet: what comes back from the manager leads to the rest. */
struct packet {
    cst_job job; /* first */
    double submitted;
    uint8_t header[8]; /* SPI and sequence number: the AAD */
    uint8_t iv[16], tag[16], text[ROOM], sealed[ROOM];
};

static void check(int result, const char *what) {
    if (result == CST_OK) return;
    fprintf(stderr, "packets: %s: %s\n", what, cst_error_text(result));
    exit(1);
}

static double us_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}
static double now_us(void) { return us_of(CLOCK_MONOTONIC); }

static uint32_t draw(uint32_t below) {
    static uint64_t state = 88172645463325252u; /* xorshift: lengths and texts, no secrets */
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state % below);
}

static void big_endian(uint8_t *to, uint32_t number) {
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(number >> (24 - 8 * i));
}

static void open_session(struct session *s, uint32_t number, const cst_suite *gcm, const cst_suite *cbc) {
    uint8_t key[16], mac_key[20];
    for (size_t i = 0; i < sizeof key; i++) key[i] = (uint8_t)draw(256); /* a key exchange gives these */
    for (size_t i = 0; i < sizeof mac_key; i++) mac_key[i] = (uint8_t)draw(256);
    for (size_t i = 0; i < sizeof s->salt; i++) s->salt[i] = (uint8_t)draw(256);
    s->spi = 0x1000 + number;
    s->gcm = number % 2 == 0;
    check(s->gcm ? cst_key_new(gcm, key, sizeof key, NULL, 0, &s->key)
                 : cst_key_new(cbc, key, sizeof key, mac_key, sizeof mac_key, &s->key),
          "a session's key");
}

/* Everything of the packet but its text. */
static void prepare(struct packet *p, struct session *s, size_t bytes) {
    cst_job *job = &p->job;
    memset(job, 0, sizeof *job); /* what is not used is 0 */
    big_endian(p->header, s->spi);
    big_endian(p->header + 4, ++s->sequence);
    if (s->gcm) { /* RFC 4106, 4: salt || explicit IV, which counts */
        memset(p->iv, 0, sizeof p->iv);
        memcpy(p->iv, s->salt, sizeof s->salt);
        big_endian(p->iv + 8, s->sequence);
    } else {
        for (size_t i = 0; i < sizeof p->iv; i++) p->iv[i] = (uint8_t)draw(256); /* a real one is unpredictable */
    }
    job->size = sizeof *job;
    job->key = s->key;
    job->direction = CST_SEAL;
    job->iv = p->iv, job->iv_len = s->gcm ? 12 : 16;
    job->aad = p->header, job->aad_len = sizeof p->header;
    job->in = p->text, job->in_len = s->gcm ? bytes : bytes / 16 * 16;
    job->out = p->sealed, job->out_cap = sizeof p->sealed;
    job->tag = p->tag, job->tag_len = s->gcm ? 16 : 12;
}

static double *waits;
static size_t n_waits;

static void take(cst_manager *manager) {
    const cst_job *job;
    while ((job = cst_manager_take(manager))) {
        const struct packet *p = (const struct packet *)job;
        check(job->status, "a packet");
        waits[n_waits++] = now_us() - p->submitted; /* here it would be sent */
    }
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void open_again(cst_ctx *ctx, struct packet *packets, size_t n) {
    static uint8_t opened[ROOM];
    for (size_t i = 0; i < n; i++) {
        cst_job job = packets[i].job;
        job.direction = CST_OPEN;
        job.in = packets[i].sealed, job.out = opened;
        check(cst_burst(ctx, &job, 1), "opening a packet");
        if (memcmp(opened, packets[i].text, job.in_len)) check(CST_ERR_AUTH, "a text that is another one");
    }
}

int main(int argc, char **argv) {
    static struct session sessions[SESSIONS];
    static const char *const usual[] = {"1", "8", "32", "128"};
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    const char *const *fills = argc > 2 ? (const char *const *)argv + 2 : usual;
    const int n_fills = argc > 2 ? argc - 2 : (int)(sizeof usual / sizeof *usual);
    struct packet *packets = calloc(n ? n : 1, sizeof *packets);
    cst_ctx *ctx;
    const cst_suite *gcm, *cbc;
    waits = calloc(n ? n : 1, sizeof *waits);
    if (!n || !packets || !waits) {
        fprintf(stderr, "usage: packets [PACKETS [MIN_FILL[:MAX_AGE]...]]\n");
        return 2;
    }
    check(cst_ctx_new(&ctx, NULL), "cst_ctx_new");
    check(cst_suite_get(ctx, "aes-128-gcm", &gcm), "aes-128-gcm");
    check(cst_suite_get(ctx, "aes-128-cbc+hmac-sha1-96", &cbc), "aes-128-cbc+hmac-sha1-96");
    for (uint32_t i = 0; i < SESSIONS; i++) open_session(&sessions[i], i, gcm, cbc);
    for (size_t i = 0; i < n; i++)
        for (size_t at = 0; at < MOST_TEXT; at++) packets[i].text[at] = (uint8_t)(at * 7 + i);
    printf("%zu packets of %d sessions\nmin_fill  packets/s  at once  waited, us: median    99 %%\n", n, SESSIONS);
    for (int f = 0; f < n_fills; f++) {
        char *age;
        cst_manager_options options = {sizeof options, strtoul(fills[f], &age, 10), 0, MOST_WAITING};
        cst_manager_info info = {.size = sizeof info};
        cst_manager *manager;
        /* By default 4 times: two suites take turns, and that many submits fill both, and some. */
        options.max_age = *age == ':' ? strtoul(age + 1, NULL, 10) : 4 * options.min_fill;
        check(cst_manager_new(ctx, &options, &manager), "cst_manager_new");
        for (size_t i = 0; i < n; i++) prepare(&packets[i], &sessions[draw(SESSIONS)], 64 + draw(MOST_TEXT - 63));
        n_waits = 0;
        const double start = us_of(CLOCK_THREAD_CPUTIME_ID);
        for (size_t i = 0; i < n; i++) {
            packets[i].submitted = now_us();
            check(cst_manager_submit(manager, &packets[i].job), "cst_manager_submit");
            take(manager);
        }
        check(cst_manager_flush(manager), "cst_manager_flush"); /* also whenever nothing comes for a while */
        take(manager);
        const double seconds = (us_of(CLOCK_THREAD_CPUTIME_ID) - start) / 1e6;
        check(cst_manager_info_get(manager, &info), "cst_manager_info_get");
        cst_manager_free(manager);
        open_again(ctx, packets, n);
        qsort(waits, n_waits, sizeof *waits, by_size);
        printf("%8s %10.0f %8.1f %19.1f %7.1f\n", fills[f], (double)n / seconds,
               (double)info.jobs / (double)info.bursts, waits[n_waits / 2], waits[n_waits * 99 / 100]);
        if (n_waits != n) check(CST_ERR_ARGUMENT, "packets that did not come back");
    }
    printf("all opened again\n");
    for (uint32_t i = 0; i < SESSIONS; i++) cst_key_free(sessions[i].key);
    cst_ctx_free(ctx);
    free(packets), free(waits);
    return 0;
}
