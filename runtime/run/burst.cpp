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

// Holds what the messages of a class have in common.
struct Start {
    explicit Start(const Suite &its_suite, bool opens)
        : suite(its_suite),
          enciphers(suite.enciphers()),
          rc4(enciphers && suite.encrypt->record.kind == ALGORITHM_RC4),
          halves(suite.half_blocks()),
          round_keys(enciphers && !rc4 ? suite.key_layout.round_keys(opens) : 0),
          hash(suite.hash ? suite.hash->record.kind : 0) {
        const KeyLayout &layout = suite.key_layout;
        if (hash == ALGORITHM_CBC_MAC)
            mac_keys_end = (suite.block_mac() ? layout.mac : KeyLayout::ENCRYPT) + 16 * (suite.hash->record.rounds + 1);
        if (hash == ALGORITHM_GHASH) mac_keys_end = layout.powers + 16 * GHASH_POWERS;
    }
    const Suite &suite;
    const bool enciphers, rc4, halves;
    const size_t round_keys;
    const uint32_t hash;
    size_t mac_keys_end = 0;  // offset in the key
};

inline void begin(const Start &start, cst_job *job, Message *m) {
    static const uint8_t zero[16] = {};
    const Key &key = key_of(*job);
    const uint8_t *const at = reinterpret_cast<const uint8_t *>(&key);
    m->job = job;
    m->key = &key;
    m->in.set(job->in, job->in_len, job->in_pieces, job->n_in_pieces);
    m->scattered = in_pieces(*job);
    m->failed = false;
    if (start.enciphers) {
        m->out.set(job->out, job->out_cap, job->out_pieces, job->n_out_pieces);
        m->ciphered = 0;
        m->text_end = m->text_stop = job->in_len;
        m->last_bytes = 0;
        m->in_place = m->scattered || job->in == job->out;
        m->paired = m->aligned = m->chain_wanted = false;
        m->cipher_from = start.rc4 ? key.rc4() : static_cast<const uint8_t *>(job->iv);
        m->round_keys = at + start.round_keys;
        if (start.halves) {  // the chain is two blocks, of which only the second counts
            put_zeros(m->chain);
            memcpy(m->chain + DES_BLOCK, job->iv, DES_BLOCK);
            m->cipher_from = m->chain;
        }
    }
    if (!start.hash) return;
    m->hash_from = start.hash == ALGORITHM_HASH ? key.inner() : zero;
    m->mac_keys_end = at + start.mac_keys_end;
}

void run(const Class &c) {
    const Suite &suite = *c.suite;
    switch (suite.construction) {
        case Construction::single:
        case Construction::counter:
        case Construction::chacha:
        case Construction::rc4:
        case Construction::cmac:
        case Construction::xcbc: return suite.enciphers() ? run_cipher_alone(c) : run_mac_alone(c);
        case Construction::etm:
        case Construction::rfc7518:
        case Construction::esp:
        case Construction::rc4_hmac: return run_encrypt_then_mac(c);
        case Construction::tls: return seal_records(c);  // those to be opened are lists
        case Construction::xts: return run_xts(c);
        case Construction::ccm: return run_ccm(c);
        case Construction::gcm: return run_gcm(c);
        case Construction::chacha_poly: return run_chacha_poly(c);
        case Construction::checksum:
        case Construction::framed:
        case Construction::tree:
        case Construction::both:
        case Construction::checked:
        case Construction::duplex:
        case Construction::multi:
        case Construction::leaves: return;  // they have rows in kinds.cpp
    }
}

bool run_steps(Memory *memory, cst_job *const *jobs, size_t n) {
    const cst_job &first = *jobs[0];
    const Suite &suite = *suite_of(&first);
    Class c = {&suite, memory, memory->messages, n, first.direction == CST_OPEN, true, true};
    const Start start(suite, c.opens);
    memory->messages_used = std::max(memory->messages_used, n);
    const bool chain_only = !suite.hash && !suite.tweaked();
    memory->secret_bytes = std::max(memory->secret_bytes,
                                    chain_only ? sizeof(Message::chain) : sizeof(Message) - offsetof(Message, chain));
    for (size_t i = 0; i < n; i++) {
        begin(start, jobs[i], &memory->messages[i]);
        c.one_key &= jobs[i]->key == first.key;
        c.same_shape &= jobs[i]->in_len == first.in_len && as_long_but_text(first, *jobs[i]) && !in_pieces(*jobs[i]);
    }
    run(c);
    bool all = true;
    for (size_t i = 0; c.opens && i < n; i++) all &= !memory->messages[i].failed;
    return all;
}

// Runs a class of which lists take some. A message that they do not take, such as an empty one, keeps no other from a
// stitched kernel. Not inlined: its lists take room on the stack.
__attribute__((noinline)) bool run_parted(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable) {
    cst_job *listed[MOST_MESSAGES], *others[MOST_MESSAGES];
    size_t some = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_list(*jobs[i])) listed[some++] = jobs[i];
        else others[i - some] = jobs[i];
    }
    const int result = run_lists(memory, listed, some, readable);
    const bool all = result == JOB_WAITING ? run_steps(memory, listed, some) : result == CST_OK;
    return run_steps(memory, others, n - some) && all;
}

}  // namespace

bool run_class(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable) {
    if (const SuiteKind *const kind = kind_of(*suite_of(jobs[0]))) return kind->run(memory, jobs, n, readable);
    const int result = run_lists(memory, jobs, n, readable);
    if (result != JOB_WAITING) return result == CST_OK;
    const size_t some = size_t(std::count_if(jobs, jobs + n, [](const cst_job *job) { return is_list(*job); }));
    return some && some < n ? run_parted(memory, jobs, n, readable) : run_steps(memory, jobs, n);
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
