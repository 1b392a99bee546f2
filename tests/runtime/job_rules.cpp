// The fast accept of jobs (api/surely_right.hpp), one by one, four and eight at once, against the slow form
// (look_closer), for jobs whose buffers lie near one another. `cst-job-rules JOBS SEED` prints how many jobs were right
// and wrong, and what was decided otherwise. Nothing is run; the addresses are numbers.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "api/jobs.hpp"
#include "api/surely_right.hpp"

using namespace cst;

namespace {

constexpr const char *SUITES[] = {"aes-128-gcm",
                                  "aes-256-gcm",
                                  "chacha20-poly1305",
                                  "aes-128-ccm",
                                  "aes-128-ctr",
                                  "aes-128-cbc",
                                  "aes-128-cbc+hmac-sha1-96",
                                  "aes-128-xts",
                                  "aes-128-ecb",
                                  "sha256",
                                  "hmac-sha256",
                                  "shake128",
                                  "aes-128-ctr+hmac-sha256-etm",
                                  "a128cbc-hs256"};
constexpr size_t MOST_JOBS = 20;
constexpr uintptr_t BASE = 1 << 20;
constexpr uint64_t HALF = uint64_t(1) << 63;

struct Subject {
    cst_key *key, *other;  // of this context, and of another one
    cst_suite_info info;
};

class Trials {
public:
    Trials(const Engine &engine, std::vector<Subject> subjects, uint64_t seed)
        : engine_(engine), subjects_(std::move(subjects)), random_(seed) {}

    size_t right = 0, wrong = 0, faults = 0;

    void run() {
        const size_t n = 1 + below(MOST_JOBS);
        cst_job jobs[MOST_JOBS];
        const cst_job model = usual();
        const bool one_length = below(2);
        const uint64_t defects = below(3);
        for (size_t i = 0; i < n; i++) {
            jobs[i] = model;
            if (!one_length) set_text(&jobs[i]);
            settle(&jobs[i], 4096);
        }
        for (uint64_t d = 0; d < defects; d++) spoil(&jobs[below(n)]);
        compare(jobs, n);
    }

private:
    uint64_t below(uint64_t n) { return random_() % n; }
    const Subject &any() { return subjects_[below(subjects_.size())]; }

    cst_job usual() {
        const Subject &its = any();
        cst_job job = {};
        job.size = sizeof(job);
        job.key = its.key;
        job.direction = below(3) ? CST_SEAL : CST_OPEN;
        job.iv_len = below(8) ? its.info.iv_bytes : its.info.iv_min + below(4);
        job.aad_len = its.info.aad_min + its.info.aad_step * (its.info.aad_max ? below(3) * below(14) : 0);
        job.tag_len = below(4) ? its.info.tag_max : its.info.tag_min + below(8);
        block_ = its.info.block_bytes;
        enciphers_ = its.info.kind == CST_CIPHER || its.info.kind == CST_AEAD;
        expansion_ = its.info.expansion;
        set_text(&job);
        return job;
    }
    void set_text(cst_job *job) {
        job->in_len = block_ * (below(16) ? 1 + below(block_ == 1 ? 70 : 5) : 0);
        if (enciphers_) job->out_cap = job->in_len + expansion_;
    }
    // Puts the buffers of a job apart, or all within so many bytes.
    void settle(cst_job *job, uint64_t distance) {
        void **const at[] = {const_cast<void **>(&job->iv), const_cast<void **>(&job->aad),
                             const_cast<void **>(&job->in), &job->tag, &job->out};
        const uint64_t bytes[] = {job->iv_len, job->aad_len, job->in_len, job->tag_len, job->out_cap};
        for (int i = 0; i < (enciphers_ ? 5 : 4); i++) {
            const uintptr_t place = BASE + (distance < 4096 ? below(distance) : i * distance);
            *at[i] = bytes[i] || below(2) ? reinterpret_cast<void *>(place) : nullptr;
        }
        if (enciphers_ && !below(3)) job->out = const_cast<void *>(job->in);
    }
    void *edge(uint64_t bytes) {
        const uint64_t edges[] = {0, HALF - bytes, HALF, HALF + 1, UINT64_MAX - bytes, UINT64_MAX - bytes + 1};
        return reinterpret_cast<void *>(edges[below(6)] - below(2) * below(3));
    }
    void spoil(cst_job *job) {
        static uint8_t byte;
        static const cst_piece piece = {&byte, 1};
        if (below(3)) settle(job, 1 + below(300));
        switch (below(30)) {
            case 0: job->iv = edge(job->iv_len); break;
            case 1: job->aad = edge(job->aad_len); break;
            case 2: job->in = edge(job->in_len); break;
            case 3: job->out = edge(job->in_len); break;
            case 4: job->tag = edge(job->tag_len); break;
            case 5: job->size = below(2) * 136; break;
            case 6: job->key = nullptr; break;
            case 7: job->key = any().other; break;
            case 8: job->key = any().key; break;
            case 9: job->direction = int(below(5)) - 1; break;
            case 10: job->iv_len += below(3) - 1; break;
            case 11: job->aad_len += below(3) - 1; break;
            case 12: job->tag_len += below(3) - 1; break;
            case 13: job->in_len += below(3) - 1; break;
            case 14: job->out_cap += below(3) - 1; break;
            case 15: job->out_cap = below(2) ? SIZE_MAX : 0; break;
            case 16: job->in_len = job->out_cap = (uint64_t(1) << (30 + below(34))) - below(40); break;
            case 17: job->in_pieces = &piece, job->n_in_pieces = 1; break;
            case 18: job->out_pieces = &piece, job->n_out_pieces = 1; break;
            case 19: job->iv_len = uint64_t(1) << (55 + below(9)); break;
            case 20: job->aad_len = uint64_t(1) << (55 + below(9)); break;
            default: break;
        }
    }

    static bool of_one_kind(const cst_job &a, const cst_job &b) {
        return from(a.key)->suite == from(b.key)->suite && a.direction == b.direction && a.iv_len == b.iv_len &&
               a.aad_len == b.aad_len && a.tag_len == b.tag_len && !b.n_in_pieces && !b.n_out_pieces;
    }
    // Whether the fast accept has to find that a right job is so: it is not of the unusual ones that are left to the
    // slow form.
    static bool decidable(const cst_job &job) {
        const auto low = [](const void *p, uint64_t bytes) {
            return address(p) < HALF && (p || !bytes) && bytes < 1ull << 59;
        };
        const auto filled = [](const void *p, uint64_t bytes) { return !p || bytes; };  // else the place is looked at
        const auto apart = [&](const void *p, uint64_t n, const void *q, uint64_t m) {
            return !Range(p, n).meets(Range(q, m));
        };
        const uint64_t written = from(job.key)->suite->enciphers() ? job.in_len : 0;
        return !job.n_in_pieces && !job.n_out_pieces && !from(job.key)->suite->expansion && low(job.iv, job.iv_len) &&
               low(job.aad, job.aad_len) && low(job.in, job.in_len) && low(job.out, written) &&
               low(job.tag, job.tag_len) && filled(job.iv, job.iv_len) && filled(job.aad, job.aad_len) &&
               filled(job.in, job.in_len) && filled(job.out, written) && filled(job.tag, job.tag_len) &&
               apart(job.tag, job.tag_len, job.in, job.in_len) && apart(job.tag, job.tag_len, job.iv, job.iv_len) &&
               apart(job.tag, job.tag_len, job.aad, job.aad_len);
    }

    void fault(const char *what, const cst_job &job) {
        if (faults++ > 20) return;
        printf("%s: %s, direction %d, iv %p %zu, aad %p %zu, in %p %zu, out %p %zu, tag %p %zu\n", what,
               job.key ? from(job.key)->suite->name.c_str() : "no key", job.direction, job.iv, job.iv_len, job.aad,
               job.aad_len, job.in, job.in_len, job.out, job.out_cap, job.tag, job.tag_len);
    }

    void compare(cst_job *jobs, size_t n) {
        int statuses[MOST_JOBS], first_error = CST_OK;
        bool of_first[MOST_JOBS], sizes = true, forged = false, kinds = true, lengths = true;
        const Kind kind = jobs->size == sizeof(*jobs) ? kind_of(engine_, *jobs) : Kind();
        size_t fast = 0;  // jobs from the first on that pass
        for (size_t i = 0; i < n; i++) {
            const cst_job &job = jobs[i];
            const int slow = statuses[i] = look_closer(engine_, job);
            (slow ? wrong : right)++;
            if (slow == CST_ERR_AUTH) forged = true;
            else if (!first_error) first_error = slow;
            sizes &= job.size == sizeof(job);
            if (check_job(engine_, job) != slow) fault("alone", job);
            const bool its = kind.suite && surely_right(kind, job);
            of_first[i] = its;
            if (its && (slow || !of_one_kind(*jobs, job))) fault("surely right", job);
            if (!slow && !its && kind.suite && of_one_kind(*jobs, job) && decidable(job))
                fault("not surely right", job);
            kinds &= !slow && kind.suite && of_one_kind(*jobs, job);
            lengths &= job.in_len == jobs->in_len;
            if (its && fast == i) fast++;
        }
        const struct {
            const char *name;
            bool can;
            size_t (*pass)(const Kind &, const cst_job *, size_t, size_t, uint64_t *);
            size_t width;
        } forms[] = {{"eight at once", engine_.avx512(), surely_right_wide, 8},
                     {"four at once", engine_.avx2(), surely_right_four, 4}};
        for (const auto &form : forms) {
            if (!kind.suite || !form.can) continue;
            uint64_t unlike = 0, found = 0;
            const size_t passed = form.pass(kind, jobs, 0, n, &unlike), expected = fast / form.width * form.width;
            for (size_t i = 0; i < passed && i < n; i++) found |= jobs[i].in_len ^ jobs->in_len;
            if (passed != expected) fault(form.name, jobs[passed < expected ? passed : expected]);
            else if (!unlike != !found) fault("lengths", *jobs);
        }
        Likeness likeness = Likeness::none;
        const int code = check_jobs(engine_, jobs, n, &likeness);
        if (!sizes) {
            if (code != CST_ERR_ARGUMENT) fault("sizes", *jobs);
            for (size_t i = 0; i < n; i++)
                if (jobs[i].status) fault("status of another array", jobs[i]);
            return;
        }
        if (code != (first_error ? first_error : forged ? CST_ERR_AUTH : CST_OK)) fault("the burst's error", *jobs);
        for (size_t i = 0; i < n; i++) {
            const int its = statuses[i], waits = its == CST_OK || (its == CST_ERR_AUTH && first_error);
            if (jobs[i].status != (waits ? JOB_WAITING : its)) fault("status", jobs[i]);
        }
        if (likeness != Likeness::none && (!kinds || (likeness == Likeness::shape && !lengths))) fault("kind", *jobs);
        if (likeness == Likeness::none && fast == n && of_first[0]) fault("kind not seen", *jobs);
    }

    const Engine &engine_;
    const std::vector<Subject> subjects_;
    std::mt19937_64 random_;
    size_t block_ = 1, expansion_ = 0;
    bool enciphers_ = false;
};

cst_key *key_of_suite(cst_ctx *ctx, const char *name, cst_suite_info *info) {
    static const uint8_t bytes[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    const cst_suite *suite;
    cst_key *key;
    info->size = sizeof(*info);
    if (cst_suite_get(ctx, name, &suite) || cst_suite_info_get(suite, info)) return nullptr;
    const size_t mac = info->mac_key_max ? std::max<size_t>(info->mac_key_min, 16) : 0;
    return cst_key_new(suite, info->key_bytes ? bytes : nullptr, info->key_bytes, mac ? bytes : nullptr, mac, &key)
               ? nullptr
               : key;
}

}  // namespace

int main(int n, char **arguments) {
    if (n != 3) return 2;
    cst_ctx *ctx, *other;
    if (cst_ctx_new(&ctx, nullptr) || cst_ctx_new(&other, nullptr)) return 2;
    std::vector<Subject> subjects;
    for (const char *name : SUITES) {
        Subject its = {};
        its.other = key_of_suite(other, name, &its.info);
        its.key = key_of_suite(ctx, name, &its.info);
        if (!its.key || !its.other) return fprintf(stderr, "no %s\n", name), 2;
        subjects.push_back(its);
    }
    Trials trials(ctx->engine, subjects, strtoull(arguments[2], nullptr, 0));
    for (const size_t jobs = strtoull(arguments[1], nullptr, 0); trials.right + trials.wrong < jobs;) trials.run();
    for (const Subject &its : subjects) {
        cst_key_free(its.key);
        cst_key_free(its.other);
    }
    cst_ctx_free(ctx);
    cst_ctx_free(other);
    printf("right %zu, wrong %zu, faults %zu\n", trials.right, trials.wrong, trials.faults);
    return trials.faults != 0;
}
