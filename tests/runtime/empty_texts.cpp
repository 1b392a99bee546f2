// Tries wrong buffers in bursts of jobs without text, of the suites that are named: the second job of a burst must be
// refused as it is alone, and nothing be written. Prints what is not so.
#include <cstdio>
#include <cstring>
#include <vector>

#include "cryptostitch/cryptostitch.h"

namespace {

constexpr size_t MOST = 64, JOBS = 3;
constexpr unsigned char UNTOUCHED = 0xee;

struct Buffers {
    unsigned char iv[MOST], aad[MOST], tag[MOST];
};

struct Wrong {
    const char *what;
    void (*make)(cst_job *, Buffers *);
};
const Wrong WRONG[] = {
    {"no IV", [](cst_job *job, Buffers *) { job->iv = nullptr; }},
    {"no AAD", [](cst_job *job, Buffers *) { job->aad = nullptr; }},
    {"no tag", [](cst_job *job, Buffers *) { job->tag = nullptr; }},
    {"tag on IV", [](cst_job *job, Buffers *its) { job->tag = its->iv; }},
    {"tag on AAD", [](cst_job *job, Buffers *its) { job->tag = its->aad; }},
    {"AAD at the end of memory", [](cst_job *job, Buffers *) { job->aad = reinterpret_cast<void *>(-1L); }},
    {"IV at the end of memory", [](cst_job *job, Buffers *) { job->iv = reinterpret_cast<void *>(-1L); }},
    {"tag at the end of memory", [](cst_job *job, Buffers *) { job->tag = reinterpret_cast<void *>(-1L); }},
};

struct Case {
    cst_ctx *ctx;
    const char *suite;
    const cst_key *key, *hash;
    cst_suite_info info;
    int direction;
    size_t aad, tried = 0, faults = 0;

    static bool refused(int code) { return code != CST_OK && code != CST_ERR_AUTH; }
    void make(cst_job *jobs, Buffers *buffers) const {
        memset(buffers, UNTOUCHED, JOBS * sizeof(*buffers));
        memset(jobs, 0, JOBS * sizeof(*jobs));
        for (size_t i = 0; i < JOBS; i++) {
            jobs[i].size = sizeof(*jobs);
            jobs[i].key = key;
            jobs[i].direction = direction;
            jobs[i].iv = buffers[i].iv;
            jobs[i].iv_len = info.iv_bytes;
            jobs[i].aad = buffers[i].aad;
            jobs[i].aad_len = aad;
            jobs[i].tag = buffers[i].tag;
            jobs[i].tag_len = info.tag_max;
            jobs[i].status = 1;
        }
    }
    void run(const Wrong &wrong, bool apart) {
        cst_job jobs[JOBS], *places[JOBS] = {jobs, jobs + 1, jobs + 2};
        Buffers buffers[JOBS];
        make(jobs, buffers);
        if (refused(cst_burst(ctx, jobs, 1))) return;  // the suite takes no such AAD, or no empty text
        make(jobs, buffers);
        wrong.make(jobs + 1, buffers + 1);
        cst_job alone = jobs[1];
        const int error = cst_burst(ctx, &alone, 1);
        if (!refused(error)) return;  // the suite has no such buffer
        unsigned char digest[20];
        cst_digest(hash, "", 0, digest, sizeof(digest));  // clears the registers
        tried++;
        const int found = apart ? cst_burst_pointers(ctx, places, JOBS) : cst_burst(ctx, jobs, JOBS);
        bool written = false;
        for (const unsigned char *at = buffers[0].iv; at < buffers[JOBS - 1].iv + sizeof(Buffers); at++)
            written |= *at != UNTOUCHED;
        if (found == error && jobs[1].status == error && !written) return;
        faults++;
        printf("%s, direction %d, %zu bytes of AAD, %s%s: %d for %d%s\n", suite, direction, aad, wrong.what,
               apart ? ", apart" : "", found, error, written ? ", written" : "");
    }
};

}  // namespace

int main(int n, char **suites) {
    size_t tried = 0, faults = 0;
    cst_ctx *ctx;
    const cst_suite *sha1;
    cst_key *hash;
    cst_options options = {};
    options.size = sizeof(options);
    options.flags = CST_ALLOW_LEGACY;
    if (cst_ctx_new(&ctx, &options) || cst_suite_get(ctx, "sha1", &sha1) ||
        cst_key_new(sha1, nullptr, 0, nullptr, 0, &hash))
        return 2;
    for (int i = 1; i < n; i++) {
        const cst_suite *suite;
        Case its = {};
        its.info.size = sizeof(its.info);
        if (cst_suite_get(ctx, suites[i], &suite) || cst_suite_info_get(suite, &its.info)) return 2;
        std::vector<unsigned char> bytes(its.info.key_bytes + its.info.mac_key_min + MOST);
        for (size_t b = 0; b < bytes.size(); b++) bytes[b] = static_cast<unsigned char>(7 * b + 1);
        cst_key *key;
        if (cst_key_new(suite, its.info.key_bytes ? bytes.data() : nullptr, its.info.key_bytes,
                        its.info.mac_key_max ? bytes.data() : nullptr, its.info.mac_key_max ? its.info.mac_key_min : 0,
                        &key))
            return 2;
        its.ctx = ctx, its.suite = suites[i], its.key = key, its.hash = hash;
        for (const int direction : {CST_SEAL, CST_OPEN})
            for (const size_t aad : {0, 16}) {
                its.direction = direction, its.aad = aad;
                for (const Wrong &wrong : WRONG)
                    for (const bool apart : {false, true}) its.run(wrong, apart);
            }
        tried += its.tried, faults += its.faults;
        cst_key_free(key);
    }
    printf("%zu bursts, %zu faults\n", tried, faults);
    return faults != 0;
}
