/* A library that is wrong, for test_soak.py: LD_PRELOAD it, and the environment variable SPOIL says what cst_burst does
 * to jobs of some length after they have run. It hangs on nothing but the job, so that it happens again. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cryptostitch/cryptostitch.h"

/* Whether a call finds on the stack what the soak left there. Not initialized on purpose. */
static __attribute__((noinline)) int is_stale(void) {
    volatile unsigned char below[16 * 1024];
    for (int i = 1; i < 64; i++)
        if (!below[0] || below[i] != below[0]) return 0;
    return 1;
}

static void spoil(const char *what, cst_job *job, int stale) {
    unsigned char *out = job->out, *tag = job->tag;
    if (job->in_len % 61 != 60 || job->n_out_pieces) return;
    if (!strcmp(what, "stale") && stale && tag && job->direction == CST_SEAL) tag[0] ^= 1;
    if (!strcmp(what, "output") && out && job->out_cap) out[job->out_cap - 1] ^= 1;
    if (!strcmp(what, "tag") && tag && job->direction == CST_SEAL) tag[0] ^= 1;
    if (!strcmp(what, "status") && job->direction == CST_OPEN) job->status = CST_OK;
    if (!strcmp(what, "beside") && tag && job->direction == CST_SEAL) tag[-1] ^= 1;
    if (!strcmp(what, "input") && !job->n_in_pieces && job->in_len && job->in != job->out)
        *(unsigned char *)job->in ^= 1;
    if (!strcmp(what, "forgery") && job->status == CST_ERR_AUTH && out && job->in_len) out[0] = 1;
}

int cst_burst(cst_ctx *ctx, cst_job *jobs, size_t n) {
    const int stale = is_stale();
    int (*burst)(cst_ctx *, cst_job *, size_t);
    *(void **)&burst = dlsym(RTLD_NEXT, "cst_burst");
    const int result = burst(ctx, jobs, n);
    for (size_t i = 0; i < n && result != CST_ERR_ARGUMENT; i++) spoil(getenv("SPOIL"), &jobs[i], stale);
    return result;
}
