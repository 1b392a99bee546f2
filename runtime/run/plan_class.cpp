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
            m.text_end = suite.enciphers() ? bytes : 0;
            if (suite.construction == Construction::tls && !class_.opens) m.text_end = bytes & ~uint64_t(AES_BLOCK - 1);
            if (suite.construction == Construction::chacha_poly && bytes <= CHACHA_MOST_FIRST)
                m.text_end += CHACHA_BLOCK;
            m.body_bytes = bytes + (suite.construction == Construction::rfc7518 ? 16 - bytes % 16 : 0);
            m.cipher_from = m.chain;
            if (suite.hash) begin_mac(suite, &m);
        }
    }

    void rank_parts(Plan *plan) const {
        if (class_.suite->enciphers()) plan->cipher = rank_texts(class_, text_bytes());
        if (class_.suite->hash) plan->hash = rank_hash();
    }
    void rank_middles(Plan *plan) const {
        const Middles middles = choose_middles(class_);
        for (size_t i = 0; i < middles.n && !plan->pair.chosen.variant; i++)
            plan->pair = {{middles.of[i].choice, class_.n}, middles.of[i].cycles, nullptr, 0};
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
    // A forced kernel of single calls (executors/alone.hpp) is named in the place of the others.
    Ranking rank_hash() const {
        const Suite &suite = *class_.suite;
        if (!suite.forced || suite.forced->role != Role::message || !suite.forced->hash.algorithm)
            return rank_macs(class_);
        const uint64_t bytes = messages_[0].job->in_len;
        Need need = {&suite.whole_hashes, class_.n, bytes, bytes};
        need.whole = true;
        return rank(suite, need);
    }

    std::vector<Message> messages_;
    const Class class_;
};

}  // namespace

Plan plan_class(const Suite &suite, const cst_job &job, size_t n, bool one_key) {
    Plan plan;
    one_key |= n == 1;
    if (const SuiteKind *const kind = kind_of(suite)) {
        kind->plan(suite, job, n, one_key, &plan);
        return plan;
    }
    const bool opens = job.direction == CST_OPEN;
    cst_job like_it = job;
    const Steps steps(suite, &like_it, n, one_key);
    if (suite.message[opens] && MessageKernels(suite, opens, n, job.aad_len).of(job.in_len)) {
        steps.rank_parts(&plan);
        Need need = message_need(suite, opens, n, job.in_len, job.aad_len);
        const Family &lists = suite.lists[opens];
        if (!lists.variants.empty() && lists.variants.front()->jobs.take(job) &&
            choose_list(suite, opens, job.in_len, job.aad_len))
            need.family = &lists;
        plan.pair = rank(suite, need);
        return plan;
    }
    if (plan_now(suite, job, n, &plan)) {
        if (plan.pair.chosen.variant) steps.rank_parts(&plan);
        return plan;
    }
    if (plan_lists(suite, job, n, one_key, &plan)) return plan;
    steps.rank_parts(&plan);
    if (suite.hash && suite.enciphers()) steps.rank_middles(&plan);
    return plan;
}

}  // namespace cst
