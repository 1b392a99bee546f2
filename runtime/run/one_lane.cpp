#include "one_lane.hpp"

namespace cst {
namespace {

// Core cycles for which a row of the key is copied to the state block, measured on Zen 4.
constexpr double kRow = 0.5;

Query query_about(uint64_t bytes, bool ahead, bool only_ready) {
    Query query;
    query.items = 0;  // apart from what phases ask
    query.bytes = query.least = bytes;
    query.aligned = ahead;
    query.only_ready = only_ready;
    return query;
}

}  // namespace

double OneLane::cost(const Variant &v, uint64_t bytes) const {
    const double rows = one_key_ ? 0 : kRow * (v.cipher.key_rows + v.hash.key_rows), rest = double(bytes & (v.step - 1));
    return v.cost.per_call + rows + v.cost.per_iteration * double(bytes >> v.step_log2) + (rest > 0 ? v.cost.per_call + rows + rest * v.cost.per_byte : 0);
}

const Variant *OneLane::compare(const Family &family, uint64_t bytes, bool ahead, bool only_ready) const {
    const Variant *best = nullptr;
    double least = 0;
    for (const Variant *v : family.variants) {
        const uint64_t before = ahead ? v->need() : 0;
        if (!serves(*v) || before + v->need() > bytes || !competes(*v, query_about(bytes, ahead, only_ready))) continue;
        const double cycles = cost(*v, bytes - before) + double(before) * v->cost.per_byte;
        if (best && cycles >= least) continue;
        best = v;
        least = cycles;
    }
    return best;
}

const Variant *OneLane::rounded_up(const Family &family, uint64_t bytes) const {
    const uint64_t question = bytes << 8 | uint64_t(&family == &suite_.hashes) << 45 | uint64_t(1) << 46;
    const Variant *best = suite_.memo ? suite_.memo->recall_exact(family, question) : nullptr;
    if (best && best->kernel.load(std::memory_order_acquire)) return best;
    double least = 0;
    for (const Variant *v : family.variants) {
        const uint64_t all = v->whole_iterations(bytes);
        if (!serves(*v) || v->lag || !competes(*v, query_about(all, false, false)) || (best && cost(*v, all) >= least)) continue;
        const Kernel *kernel;
        if (suite_.engine->fetch(*v, &kernel)) continue;
        best = v;
        least = cost(*v, all);
    }
    if (suite_.memo && best) suite_.memo->remember_exact(family, question, best);
    return best;
}

const Variant *OneLane::recall(const Family &family, uint64_t bytes, bool pair, bool ahead, bool *known) const {
    const Variant *choice = nullptr;
    *known = suite_.memo && suite_.memo->recall(family, query_about(bytes, ahead, false), pair, &choice) && (!choice || serves(*choice));
    return choice;
}

void OneLane::remember(const Family &family, uint64_t bytes, bool pair, bool ahead, const Variant *choice) const {
    if (suite_.memo) suite_.memo->remember(family, query_about(bytes, ahead, false), pair, choice);
}

// What the memo is asked exactly. 0: nothing.
uint64_t OneLane::question(const Family &family, uint64_t bytes, bool ahead) const {
    const uint64_t which = &family == &suite_.encrypts ? 0 : &family == &suite_.decrypts ? 1 : &family == &suite_.hashes ? 2 : 3;
    return suite_.memo && bytes < uint64_t(1) << 43 ? uint64_t(3) << 46 | bytes << 3 | which << 1 | uint64_t(ahead) : 0;
}

const Variant *OneLane::recall_exact(const Family &family, uint64_t bytes, bool ahead) const {
    const uint64_t asked = question(family, bytes, ahead);
    const Variant *const best = asked ? suite_.memo->recall_exact(family, asked) : nullptr;
    return best && serves(*best) && best->need() * (1 + ahead) <= bytes ? best : nullptr;
}

void OneLane::remember_exact(const Family &family, uint64_t bytes, bool ahead, const Variant *choice) const {
    const uint64_t asked = question(family, bytes, ahead);
    if (asked && choice) suite_.memo->remember_exact(family, asked, choice);
}

const Variant *OneLane::choose(const Family &family, uint64_t bytes) const {
    if (const Variant *best = recall_exact(family, bytes, false)) return best;
    bool known;
    const Variant *choice = recall(family, bytes, false, false, &known);
    if (!known) {
        choice = compare(family, bytes, false, false);
        remember(family, bytes, false, false, choice);
    }
    remember_exact(family, bytes, false, choice);
    return choice;
}

const Variant *OneLane::pair(uint64_t bytes, bool ahead) const {
    const Family &family = suite_.pairs;
    if (family.variants.empty()) return nullptr;
    if (const Variant *best = recall_exact(family, bytes, ahead)) return best;
    bool known;
    const Variant *choice = recall(family, bytes, true, ahead, &known);
    if (!known) {
        choice = compare(family, bytes, ahead, false);
        if (choice) {
            const Variant *cipher = compare(suite_.encrypts, bytes, false, false), *hash = compare(suite_.hashes, bytes, false, false);
            const uint64_t before = ahead ? choice->need() : 0;
            if (cipher && hash && cost(*cipher, bytes) + cost(*hash, bytes) < cost(*choice, bytes - before) + double(before) * choice->cost.per_byte) choice = nullptr;
        }
        remember(family, bytes, true, ahead, choice);
    }
    remember_exact(family, bytes, ahead, choice);
    return choice;
}

}  // namespace cst
