#include "plan_class.hpp"

#include <vector>

#include "../message/constructions.hpp"
#include "../message/mac.hpp"
#include "../message/middle.hpp"
#include "../message/text.hpp"
#include "kinds.hpp"

namespace cst {
namespace {

// Messages in steps, made only to be asked about.
class Steps {
public:
    Steps(const Suite &suite, cst_job *job, size_t n, bool one_key)
        : messages_(n), class_{&suite, nullptr, messages_.data(), n, job->direction == CST_OPEN, one_key} {
        const size_t bytes = job->in_len;
        for (Message &m : messages_) {
            m.job = job;
            m.text_end = m.body_bytes = bytes;
            if (suite.construction == Construction::chacha_poly && bytes <= CHACHA_MOST_FIRST)
                m.text_end += CHACHA_BLOCK;
            m.cipher_from = m.chain;
            begin_mac(&m);
        }
    }

    void rank_parts(Plan *plan) const {
        plan->cipher = rank_texts(class_, text_bytes());
        plan->hash = rank_macs(class_);
    }
    void rank_middles(Plan *plan) const {
        const Middle middle = choose_middle(class_);
        plan->pair = {{middle.choice, class_.n}, middle.cycles, nullptr, 0};
    }

private:
    // Returns how many bytes of a text one call enciphers: without those that go with ChaCha20-Poly1305's key before
    // the rest.
    uint64_t text_bytes() const {
        const Message &m = messages_[0];
        const bool in_two =
            class_.suite->construction == Construction::chacha_poly && m.job->in_len > CHACHA_MOST_FIRST;
        return m.text_end - (in_two ? chacha_first_bytes(m.job->in_len) : 0);
    }

    std::vector<Message> messages_;
    const Class class_;
};

// A forced kernel of single calls (executors/alone.hpp) is named in the place of the others.
Ranking rank_forced_call(const Suite &suite, size_t n, uint64_t bytes) {
    Need need = {&suite.whole_hashes, n, bytes, bytes};
    need.whole = true;
    return rank(suite, need);
}

// Names the kernels of cipher and MAC that run, or would run, if no kernel did both.
void rank_parts(const Suite &suite, const cst_job &job, size_t n, bool one_key, Plan *plan) {
    Plan parts;
    cst_job like_it = job;
    if (!plan_lists(suite, job, n, one_key, &parts)) Steps(suite, &like_it, n, one_key).rank_parts(&parts);
    plan->cipher = parts.cipher;
    plan->hash = parts.hash;
    if (suite.forced && suite.forced->role == Role::message && suite.forced->hash.algorithm)
        plan->hash = rank_forced_call(suite, n, job.in_len);
}

}  // namespace

Plan plan_class(const Suite &suite, const cst_job &job, size_t n, bool one_key) {
    Plan plan;
    one_key |= n == 1;
    if (const SuiteKind *const kind = kind_of(suite)) {
        kind->plan(suite, job, n, one_key, &plan);
        return plan;
    }
    const bool opens = job.direction == CST_OPEN;
    if (suite.message[opens] && MessageKernels(suite, opens, n, job.aad_len).of(job.in_len)) {
        rank_parts(suite, job, n, one_key, &plan);
        Need need = message_need(suite, opens, n, job.in_len, job.aad_len);
        const Family &lists = suite.lists[opens];
        if (!lists.variants.empty() && lists.variants.front()->jobs.take(job) &&
            choose_list(suite, opens, job.in_len, job.aad_len))
            need.family = &lists;
        plan.pair = rank(suite, need);
        return plan;
    }
    if (plan_now(suite, job, n, &plan)) {
        if (plan.pair.chosen.variant) rank_parts(suite, job, n, one_key, &plan);
        return plan;
    }
    if (plan_lists(suite, job, n, one_key, &plan)) return plan;
    rank_parts(suite, job, n, one_key, &plan);
    cst_job like_it = job;
    Steps(suite, &like_it, n, one_key).rank_middles(&plan);
    return plan;
}

}  // namespace cst
