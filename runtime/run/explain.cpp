#include "../executors/message.hpp"
#include "explain.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "../hash/both.hpp"
#include "../message/checked.hpp"
#include "../message/constructions.hpp"
#include "../hash/framed.hpp"
#include "../hash/leaves.hpp"
#include "../plan/lineup.hpp"
#include "../message/mac.hpp"
#include "../message/middle.hpp"
#include "../hash/multi_hash.hpp"
#include "../hash/tree.hpp"
#include "../message/duplex.hpp"
#include "../message/text.hpp"

namespace cst {
namespace {

std::string number(double value) {
    char text[32];
    snprintf(text, sizeof(text), "%.3g", value);
    // The process's locale may have another decimal point, of several bytes perhaps.
    std::string plain;
    for (const char *at = text; *at; at++) {
        if (strchr("0123456789e+-", *at)) plain += *at;
        else if (plain.empty() || plain.back() != '.') plain += '.';
    }
    return plain;
}

std::string plural(size_t n, const char *word) { return std::to_string(n) + " " + word + (n == 1 ? "" : "s"); }

std::string basis(const Engine &engine, const Variant &variant) {
    if (variant.cost.here) return "as calibrated on this machine";
    return variant.cost.measured ? "by the table for " + engine.cost_table() : "by an estimate from instruction counts";
}

// Returns the kernel selection of the hash; no variant: there is nothing to hash. A forced kernel of single calls
// (executors/alone.hpp) is named in the place of the others.
Ranking rank_hash(const Class &c) {
    const Suite &suite = *c.suite;
    if (!suite.hash) return {};
    if (suite.construction == Construction::framed) return rank_framed(suite, c.n, c.messages[0].job->in_len);
    if (suite.construction == Construction::tree) return rank_trees(suite, c.n, c.messages[0].job->in_len);
    if (suite.construction == Construction::leaves) return rank_leaves(suite, c.n, c.messages[0].job->in_len);
    const bool whole = suite.construction == Construction::checksum;
    if (!whole && (!suite.forced || suite.forced->role != Role::message || !suite.forced->hash.algorithm))
        return rank_macs(c);
    const uint64_t bytes = c.messages[0].job->in_len;
    Need need = {&suite.whole_hashes, c.n, bytes, bytes};
    need.whole = true;
    return rank(suite, need);
}

// Returns how many bytes of a text one call enciphers: without those that go with ChaCha20-Poly1305's key before the
// rest.
uint64_t text_bytes(const Class &c) {
    const Message &m = c.messages[0];
    const bool in_two = c.suite->construction == Construction::chacha_poly && m.job->in_len > CHACHA_MOST_FIRST;
    return m.text_end - (in_two ? chacha_first_bytes(m.job->in_len) : 0);
}

// Asks the paths in the order of run_jobs (burst.cpp). Beside a kernel that does both, cipher and hash are those that
// would run one after the other.
Plan plan_of(const Class &c, const cst_job &job) {
    const Suite &suite = *c.suite;
    Plan plan;
    if (suite.construction == Construction::both) {  // the first half takes the place of the cipher
        plan_both(suite, c.n, job.in_len, &plan);
        for (const Suite *half : suite.halves) {
            Class its = c;
            its.suite = half;
            (half == suite.halves[0] ? plan.cipher : plan.hash) = plan_of(its, job).hash;
        }
        return plan;
    }
    if (suite.construction == Construction::multi) {
        plan_multi_hashes(suite, c.n, job.in_len, &plan);
        return plan;
    }
    if (is_checked(suite)) {
        Class its = c;
        its.suite = suite.halves[0];
        plan = plan_of(its, job);
        its.suite = suite.halves[1];
        plan.checksum = rank_hash(its);
        if (job.in_len % AES_BLOCK == 0 && choose_checked(suite, c.opens, c.n, job.in_len)) {
            Need need = {c.opens ? &suite.open_pairs : &suite.pairs, c.n, job.in_len, job.in_len};
            need.whole = true;
            plan.cipher = plan.pair.chosen.variant ? plan.pair : plan.cipher;
            plan.hash = plan.checksum;
            plan.checksum = {};
            plan.pair = rank(suite, need);
        }
        return plan;
    }
    if (suite.construction == Construction::duplex) {
        plan.cipher = rank_duplex(suite, c.n, job.aad_len, job.in_len);
        return plan;
    }
    const auto rank_parts = [&] {
        if (suite.enciphers()) plan.cipher = rank_texts(c, text_bytes(c));
        plan.hash = rank_hash(c);
    };
    if (suite.message[c.opens] && MessageKernels(suite, c.opens, c.n, job.aad_len).of(job.in_len)) {
        rank_parts();
        Need need = message_need(suite, c.opens, c.n, job.in_len, job.aad_len);
        const Family &lists = suite.lists[c.opens];
        if (!lists.variants.empty() && lists.variants.front()->jobs.take(job) &&
            choose_list(suite, c.opens, job.in_len, job.aad_len))
            need.family = &lists;
        plan.pair = rank(suite, need);
        return plan;
    }
    if (plan_now(suite, job, c.n, &plan)) {
        if (plan.pair.chosen.variant) rank_parts();
        return plan;
    }
    if (plan_lists(suite, job, c.n, c.one_key, &plan)) return plan;
    rank_parts();
    if (!suite.hash || !suite.enciphers()) return plan;
    const Middles middles = choose_middles(c);
    for (size_t i = 0; i < middles.n && !plan.pair.chosen.variant; i++)
        plan.pair = {{middles.of[i].choice, c.n}, middles.of[i].cycles, nullptr, 0};
    return plan;
}

constexpr size_t USUAL_AAD = 13;  // bytes, a record's header

}  // namespace

int explain(const Suite &suite, int direction, size_t jobs, size_t bytes, bool one_key, cst_choice *choice) {
    const size_t n = jobs < MOST_MESSAGES ? jobs : MOST_MESSAGES;
    const bool opens = direction == CST_OPEN;
    std::vector<Message> messages(n);
    static const uint8_t first_counter[16] = {};
    cst_job job = {};
    job.direction = direction;
    job.iv = first_counter;
    job.in_len = bytes;
    job.aad_len = suite.aad_min;
    const Suite &maced = is_checked(suite) ? *suite.halves[0] : suite;
    if (!maced.lists[opens].variants.empty()) {  // the usual shape
        const ListedJobs &usual = maced.lists[opens].variants.front()->jobs;
        job.iv_len = usual.iv;
        job.tag_len = usual.tag;
        job.aad_len = std::min<size_t>(usual.most_aad, USUAL_AAD);
    }
    const Class c = {&suite, nullptr, messages.data(), n, opens, one_key || n == 1};
    for (Message &m : messages) {
        m.job = &job;
        m.text_end = suite.enciphers() ? bytes : 0;
        if (suite.construction == Construction::tls && !opens) m.text_end = bytes & ~uint64_t(AES_BLOCK - 1);
        if (suite.construction == Construction::chacha_poly && bytes <= CHACHA_MOST_FIRST) m.text_end += CHACHA_BLOCK;
        m.body_bytes = bytes + (suite.construction == Construction::rfc7518 ? 16 - bytes % 16 : 0);
        m.cipher_from = m.chain;
        if (suite.hash && !suite.hash->record.of_another_kind() && !suite.hash->record.is_step()) begin_mac(maced, &m);
    }
    const Plan plan = plan_of(c, job);
    const Ranking &cipher = plan.cipher, &hash = plan.hash;
    const bool stitched = plan.pair.chosen.variant;
    Ranking chosen = plan.pair, other;  // other: the second kernel, if two share the work
    if (!stitched) {
        // Names the forced one of the two kernels; without one, the kernel that takes longer.
        const bool hash_longer = hash.chosen.variant && hash.cycles > cipher.cycles;
        const bool hash_first = !cipher.chosen.variant || (suite.forced && hash.chosen.variant == suite.forced) ||
                                (hash_longer && cipher.chosen.variant != suite.forced);
        chosen = hash_first ? hash : cipher;
        other = hash_first ? cipher : hash;
    }
    if (!chosen.chosen.variant) return CST_ERR_UNSUPPORTED;
    const Kernel *kernel;
    if (int error = suite.engine->fetch(*chosen.chosen.variant, &kernel)) return error;

    const Variant &v = *chosen.chosen.variant;
    const double all_bytes = double(n) * double(bytes ? bytes : 1);
    const std::string source = basis(*suite.engine, v);
    auto figure = [&](const Variant &of, double cycles) {
        const std::string its = basis(*suite.engine, of);
        return number(cycles / all_bytes) + (its == source ? "" : " " + its);
    };
    std::string why = "for " + plural(n, "job") + " of " + plural(bytes, "byte");
    if (suite.enciphers() && n > 1) why += one_key ? " under one key" : " under their own keys";
    why += ": ";
    if (suite.forced == chosen.chosen.variant) {
        why += "forced by name, " + number(chosen.cycles / all_bytes) + " cycles per byte " + source;
    } else {
        why += number(chosen.cycles / all_bytes) + " cycles per byte " + source;
        if (chosen.next) {
            why +=
                "; the next best, " + std::string(chosen.next->name) + ", " + figure(*chosen.next, chosen.next_cycles);
            if (chosen.next_cycles < chosen.cycles)
                why += " (as good within the table's precision, and has more lanes)";
        }
    }
    if (stitched && cipher.chosen.variant && hash.chosen.variant)
        why += std::string(suite.enciphers() ? "; cipher and hash" : "; the digests") + " one after the other " +
               figure(*cipher.chosen.variant, cipher.cycles) + " + " + figure(*hash.chosen.variant, hash.cycles);
    if (other.chosen.variant)
        why += "; together with " + std::string(other.chosen.variant->name) + ", " +
               figure(*other.chosen.variant, other.cycles);
    const Ranking &checksum = plan.checksum;
    if (checksum.chosen.variant)
        why += "; the checksum on " + std::string(checksum.chosen.variant->name) + ", " +
               figure(*checksum.chosen.variant, checksum.cycles);
    put_text(choice->kernel, v.name);
    put_text(choice->origin, kernel->origin == KernelOrigin::jit ? "jit" : "static");
    put_text(choice->why, why);
    choice->lanes = v.lanes;
    const auto estimated = [](const Ranking &of) { return of.chosen.variant && !of.chosen.variant->cost.measured; };
    const bool measured = v.cost.measured && !estimated(other) && !estimated(checksum);
    choice->cycles_per_byte = measured ? (chosen.cycles + other.cycles + checksum.cycles) / all_bytes : 0;
    return CST_OK;
}

}  // namespace cst
