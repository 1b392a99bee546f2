#include "../executors/message.hpp"
#include "../message/run_class.hpp"
#include "run.hpp"

#include <algorithm>
#include <cstddef>

#include "../suite/secret.hpp"
#include "../message/constructions.hpp"
#include "kinds.hpp"
#include "one_piece.hpp"
#include "order.hpp"

namespace cst {
namespace {

const Suite *suite_of(const cst_job *job) { return key_of(*job).suite; }

// Groups jobs by suite and direction; within a group, jobs of more blocks go first. Not inlined: its lists are not
// needed while the jobs run.
__attribute__((noinline)) void order(cst_job **jobs, size_t n) {
    const auto of_another_class = [](const cst_job *a, const cst_job *b) {
        return suite_of(a) != suite_of(b) || a->direction != b->direction;
    };
    if (std::adjacent_find(jobs, jobs + n, of_another_class) != jobs + n)
        std::stable_sort(jobs, jobs + n, [](const cst_job *a, const cst_job *b) {
            return suite_of(a) != suite_of(b) ? suite_of(a) < suite_of(b) : a->direction < b->direction;
        });
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && !of_another_class(jobs[from], jobs[to]);) to++;
        cst_job *const *const its = jobs + from;
        constexpr size_t BLOCK_LOG2 = 6;
        uint16_t places[MOST_MESSAGES];
        order_by_blocks(
            to - from, places, [=](size_t i) { return uint64_t(its[i]->in_len) >> BLOCK_LOG2; },
            [=](uint16_t a, uint16_t b) { return its[a]->in_len > its[b]->in_len; });
        cst_job *ordered[MOST_MESSAGES];
        for (size_t i = 0; i < to - from; i++) ordered[i] = its[places[i]];
        std::copy(ordered, ordered + (to - from), jobs + from);
    }
}

void begin(cst_job *job, Message *m) {
    static const uint8_t zero[16] = {};
    m->job = job;
    m->key = &key_of(*job);
    m->in.set(job->in, job->in_len, job->in_pieces, job->n_in_pieces);
    m->out.set(job->out, job->out_cap, job->out_pieces, job->n_out_pieces);
    m->scattered = in_pieces(*job);
    m->in_place = m->scattered || job->in == job->out;
    m->failed = m->paired = m->chain_wanted = false;
    m->ciphered = 0;
    m->text_end = m->text_stop = job->in_len;
    m->cipher_from = static_cast<const uint8_t *>(job->iv);
    m->hash_from = zero;
}

// Runs GCM and ChaCha20-Poly1305 in steps.
bool run_steps(Memory *memory, cst_job *const *jobs, size_t n) {
    const cst_job &first = *jobs[0];
    const Suite &suite = *suite_of(&first);
    Class c = {&suite, memory, memory->messages, n, first.direction == CST_OPEN, true, true};
    const bool gcm = suite.construction == Construction::gcm;
    const size_t round_keys = suite.key_layout.round_keys(c.opens),
                 powers_end = suite.key_layout.powers + 16 * GHASH_POWERS;
    memory->messages_used = std::max(memory->messages_used, n);
    memory->secret_bytes = sizeof(Message) - offsetof(Message, chain);
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs[i];
        const uint8_t *const key = reinterpret_cast<const uint8_t *>(job.key);
        begin(jobs[i], &memory->messages[i]);
        memory->messages[i].round_keys = key + round_keys;
        memory->messages[i].mac_keys_end = gcm ? key + powers_end : nullptr;
        c.one_key &= job.key == first.key;
        c.same_shape &= job.in_len == first.in_len && as_long_but_text(first, job) && !in_pieces(job);
    }
    (gcm ? run_gcm : run_chacha_poly)(c);
    bool all = true;
    for (size_t i = 0; c.opens && i < n; i++) all &= !memory->messages[i].failed;
    return all;
}

}  // namespace

bool run_class(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable) {
    if (const SuiteKind *const kind = kind_of(*suite_of(jobs[0]))) return kind->run(memory, jobs, n, readable);
    const int result = run_lists(memory, jobs, n, readable);
    return result == JOB_WAITING ? run_steps(memory, jobs, n) : result == CST_OK;
}

namespace {

// none: also if a job does not wait.
Likeness likeness_of(const cst_job *jobs, size_t n) {
    uint64_t unlike = 0;  // not 0: two texts have not one length
    for (size_t i = 0; i < n; i++) {
        if (jobs[i].status != JOB_WAITING || suite_of(&jobs[i]) != suite_of(jobs) ||
            jobs[i].direction != jobs->direction || !as_long_but_text(*jobs, jobs[i]) || in_pieces(jobs[i]))
            return Likeness::none;
        unlike |= jobs->in_len ^ jobs[i].in_len;
    }
    return unlike ? Likeness::kind : Likeness::shape;
}

int run_same_shape(Memory *memory, cst_job *jobs, size_t n) {
    bool all = true;
    for (size_t first = 0; first < n; first += memory->room()) {
        const size_t some = std::min(n - first, memory->room());
        fetch_cold(jobs + first, some);
        cst_job *list[MOST_MESSAGES];
        for (size_t i = 0; i < some; i++) list[i] = jobs + first + i;
        all &= run_class(memory, list, some);
    }
    return all ? CST_OK : CST_ERR_AUTH;
}

int run_mixed(Memory *memory, cst_job *jobs, size_t n) {
    bool all = true;
    for (size_t first = 0; first < n; first += memory->room()) {
        const size_t some = std::min(n - first, memory->room());
        fetch_cold(jobs + first, some);
        cst_job **const sorted = memory->waiting;
        size_t waiting = 0;
        all &= run_one_calls(jobs + first, some);
        for (cst_job *job = jobs + first; job < jobs + first + some; job++)
            if (job->status == JOB_WAITING) sorted[waiting++] = job;
        order(sorted, waiting);
        for (size_t from = 0, to; from < waiting; from = to) {
            for (to = from + 1; to < waiting; to++)
                if (suite_of(sorted[to]) != suite_of(sorted[from]) || sorted[to]->direction != sorted[from]->direction)
                    break;
            const int result = to - from == 1 ? run_now(sorted[from], 1) : JOB_WAITING;
            all &= result == JOB_WAITING ? run_class(memory, sorted + from, to - from) : result == CST_OK;
        }
    }
    return all ? CST_OK : CST_ERR_AUTH;
}

// Tries the paths that need no workspace. JOB_WAITING: none applies, nothing was written.
int run_without_workspace(cst_job *jobs, size_t n, Likeness likeness) {
    if (likeness == Likeness::none) return JOB_WAITING;
    fetch_cold(jobs, std::min(n, MOST_MESSAGES));
    if (likeness == Likeness::kind) return run_one_call_each(jobs, n);
    const int result = run_one_call(jobs, n);
    return result == JOB_WAITING ? run_now(jobs, n) : result;
}

int run_with(Memory *memory, cst_job *jobs, size_t n) {
    const Likeness likeness = likeness_of(jobs, n);
    const int result = run_without_workspace(jobs, n, likeness);
    if (result != JOB_WAITING) return result;
    return (likeness == Likeness::shape ? run_same_shape : run_mixed)(memory, jobs, n);
}

int run_in_pieces(Memory *memory, cst_job *jobs, size_t n) {
    bool all = true;
    for (size_t first = 0; first < n;) {
        const InSlot<OnePieceJobs> some(memory->pieces, memory);
        while (first + some->size() < n && some->add(jobs[first + some->size()])) {}
        all &= run_with(memory, some->jobs(), some->size()) == CST_OK;
        some->settle(jobs + first);
        first += some->size();
    }
    return all ? CST_OK : CST_ERR_AUTH;
}

}  // namespace

int run_jobs(const Engine &engine, cst_job *jobs, size_t n, Likeness likeness) {
    const bool pieces = (n == 1 || likeness == Likeness::none) && any_in_pieces(jobs, n);
    if (pieces || likeness == Likeness::none) likeness = likeness_of(jobs, n);
    const int result = run_without_workspace(jobs, n, likeness);
    if (result != JOB_WAITING) return result;
    Memory memory;
    if (int error = memory.allocate(engine, n)) return error;
    return (pieces ? run_in_pieces : likeness == Likeness::shape ? run_same_shape : run_mixed)(&memory, jobs, n);
}

int run_jobs(Memory *memory, cst_job *jobs, size_t n) {
    return (any_in_pieces(jobs, n) ? run_in_pieces : run_with)(memory, jobs, n);
}

}  // namespace cst
