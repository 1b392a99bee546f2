#include "lineup.hpp"

#include <algorithm>
#include <cmath>

#include "../select/cost.hpp"

namespace cst {
namespace {

Query query_of(const Need &need) {
    Query query;
    query.least = need.rounds_up ? UINT64_MAX : need.most;
    query.one_key = need.one_key;
    query.aligned = need.aligned;
    return query;
}

bool fits(const Variant &v, const Need &need, bool only_ready) {
    Query query = query_of(need);
    query.only_ready = only_ready;
    return competes(v, query) && !(need.rounds_up && v.step > SCRATCH_BYTES);
}

// Returns the core cycles to copy what is no whole iteration, a text's end or a checksum's head, for a kernel that has
// no masks of bits: two loads and two stores for each block, and a wait for bytes that were just stored.
double copy_apart(const Variant &v, uint64_t rest) {
    constexpr double WAIT = 8, EACH = 2;
    return v.role != Role::message || v.message.bits || !rest ? 0 : WAIT + EACH * double(v.step >> 4);
}

// Returns the core cycles of the calls for one message in each lane.
double calls(const Variant &v, const Need &need) {
    const uint64_t bytes = need.bytes - (need.whole ? v.message.head : 0);
    const uint64_t whole = bytes >> v.step_log2, rest = bytes & (v.step - 1);
    const double one = v.cost.per_call, iteration = v.cost.per_iteration;
    if (need.whole)
        return one +
               iteration * double(rest    ? whole
                                  : whole ? whole - 1
                                          : 0) +
               copy_apart(v, v.message.is_short ? v.step - bytes : rest);
    if (!rest) return one + iteration * double(whole);
    if (need.rounds_up) return (need.bytes > MOST_BOUNCE ? 2 : 1) * one + iteration * double(whole + 1);
    return (whole ? 2 : 1) * one + iteration * double(whole) + v.cost.per_byte * double(rest);
}

// Returns the core cycles for n messages if the kernel also runs the last, incomplete round.
double on_this(const Variant &v, const Need &need, size_t n) {
    const double loads = double(n) * loading(v, need.one_key);
    if (v.lanes == 1 || need.bytes == need.most) return calls(v, need) * double(v.full_rounds(n + v.lanes - 1)) + loads;
    // Lengths differ: lanes are refilled as they become free. A call ends when a lane ends, and the longest message may
    // still be in progress when the others are done.
    const bool in_two = need.rounds_up && need.bytes > MOST_BOUNCE && need.bytes & (v.step - 1);
    const double whole = double(v.whole_iterations(need.bytes) >> v.step_log2),
                 longest = double(need.most >> v.step_log2),
                 iterations = std::max(longest, whole * double(n) / double(v.lanes)),
                 ends = std::min(double(in_two ? 2 * n : n), iterations);
    return v.cost.per_call * std::max(1.0, ends) + v.cost.per_iteration * iterations + loads;
}

// Whether the kernel can process such messages, at whatever cost.
bool serves(const Suite &suite, const Variant &v, const Need &need) {
    if (need.grain && v.step > need.grain) return false;
    if (need.whole_only && v.step != (suite.hash ? suite.hash->record.read_bytes() : 0)) return false;
    if (!need.whole) return true;
    // Messages of different lengths are selected for one by one: what one of their mean length costs stands for them.
    return !(v.message.is_short && !need.short_aad) && v.takes_message(need.bytes);
}

}  // namespace

bool takes(const Suite &suite, const Variant &v, const Need &need) {
    return serves(suite, v, need) && cst::fits(v, query_of(need));
}

namespace {

// Compares the costs of all kernels that fit.
__attribute__((noinline)) Ranking decide(const Suite &suite, const Need &need, bool only_ready) {
    const Variant *candidates[128];
    size_t found = 0;
    for (const Variant *v : need.family->variants) {
        if (!serves(suite, *v, need)) continue;
        if (v == suite.forced && cst::fits(*v, query_of(need)))
            return {{v, need.messages}, on_this(*v, need, need.messages), nullptr, 0};
        if (found < 128 && fits(*v, need, only_ready)) candidates[found++] = v;
    }
    Pick pick;
    size_t messages = need.messages;
    for (size_t i = 0; i < found; i++) {
        const Variant &v = *candidates[i];
        const size_t full = v.full_rounds(need.messages) * v.lanes, rest = need.messages - full;
        double cycles = on_this(v, need, need.messages);
        size_t some = need.messages;
        if (full && rest && v.lanes > 1) {
            double others = cycles;
            for (size_t j = 0; j < found; j++)
                others = std::min(others, on_this(v, need, full) + on_this(*candidates[j], need, rest));
            if (others < cycles) cycles = others, some = full;
        }
        const Variant *const before = pick.variant;
        pick.offer(&v, cycles);
        if (pick.variant != before) messages = some;
    }
    return {{pick.variant, messages}, pick.cycles, pick.next, pick.next_cycles};
}

// Decides among kernels whose code can be made. If the system refuses a kernel's code, the second round knows it and
// considers only code that exists already; *lasts is false then, because the answer must not be cached.
Ranking decide_ready(const Suite &suite, const Need &need, bool *lasts) {
    for (bool only_ready = false;; only_ready = true) {
        *lasts = !only_ready;
        const Ranking ranking = decide(suite, need, only_ready);
        const Kernel *kernel;
        if (!ranking.chosen.variant || !suite.engine->fetch(*ranking.chosen.variant, &kernel)) return ranking;
    }
}

void remember(const Question &question, const Need &asked, const Lineup &lineup) {
    const std::vector<const Variant *> &variants = asked.family->variants;
    const size_t index = size_t(std::find(variants.begin(), variants.end(), lineup.variant) - variants.begin());
    if (lineup.variant && index >= Choice::NONE) return;
    asked.family->choices.remember(
        question.number, {lineup.variant ? uint32_t(index) : Choice::NONE, lineup.messages != asked.messages});
}

// Answers whether a kernel takes less time than an alternative, from the cache if possible.
template <typename Decide>
const Variant *chosen_before(const Suite &suite, const Need &need, const Question &question, Decide decide_now) {
    Lineup lineup;
    if (!usual(suite)) return decide_now(need);
    if (recall(suite, need, question, &lineup)) return lineup.variant;
    suite.engine->count_question();
    const Need asked = Question::sample(need);
    lineup = {decide_now(asked), asked.messages};
    if (!lineup.variant || takes(suite, *lineup.variant, need))
        return remember(question, asked, lineup), lineup.variant;
    return decide_now(need);
}

}  // namespace

double loading(const Variant &v, bool one_key) {
    uint32_t rows = 0;
    for (const Part *part : {&v.cipher, &v.hash}) {
        if (part->lanes.empty()) continue;
        rows += 2;  // pointers
        if (!one_key || v.lanes == 1) rows += part->key_copies.empty() ? part->key_rows : 0;
        rows += 2 * std::max<uint32_t>(1, part->chain_rows * part->chain_entry / 16);
    }
    return double(v.lanes == 1 ? rows / 2 : rows);
}

Lineup line_up_now(const Suite &suite, const Need &need) {
    bool lasts;
    if (!usual(suite)) return decide_ready(suite, need, &lasts).chosen;
    Lineup lineup;
    const Question question(suite, need, Question::Kind::step);
    suite.engine->count_question();
    const Need asked = Question::sample(need);
    const Lineup sample = decide_ready(suite, asked, &lasts).chosen;
    if (sample.variant && lasts) {
        remember(question, asked, sample);
        if (recall(suite, need, question, &lineup)) return lineup;
    }
    suite.engine->count_question();  // no shared answer fits these messages
    return decide_ready(suite, need, &lasts).chosen;
}

Ranking rank(const Suite &suite, const Need &need) {
    bool lasts;
    const Lineup lineup = line_up(suite, need);
    Ranking ranking = decide_ready(suite, usual(suite) ? Question::sample(need) : need, &lasts);
    if (ranking.chosen.variant != lineup.variant) ranking = decide_ready(suite, need, &lasts);
    if (!lineup.variant) return {};
    ranking.chosen = lineup;
    ranking.cycles = step_cycles(suite, need);
    if (ranking.next && serves(suite, *ranking.next, need))
        ranking.next_cycles = on_this(*ranking.next, need, need.messages);
    return ranking;
}

namespace {

// Returns the core cycles of a step, each part of the messages on the kernel that `line` selects for it.
template <typename Line>
double cycles_of(Need need, Line line) {
    double cycles = 0;
    while (need.messages) {
        const Lineup lineup = line(need);
        if (!lineup.variant) return HUGE_VAL;
        cycles += on_this(*lineup.variant, need, lineup.messages);
        need.messages -= lineup.messages;
    }
    return cycles;
}

// Prices an alternative to a step. It caches nothing and makes no code.
double alternative(const Suite &suite, const Need &need) {
    return cycles_of(need, [&](const Need &some) { return decide(suite, some, false).chosen; });
}

}  // namespace

double step_cycles(const Suite &suite, const Need &need) {
    return cycles_of(need, [&](const Need &some) { return line_up(suite, some); });
}

const Variant *line_up_whole(const Suite &suite, const Family &family, size_t n, uint64_t bytes) {
    Need need = {&family, n, bytes, bytes};
    need.whole = true;
    return line_up(suite, need).variant;
}

namespace {

// Returns the core cycles of the steps around the middle that a pair does: in front of it and after it, cipher and
// hash have calls of their own, of `bytes` bytes.
double around_pair(const Suite &suite, const Family &ciphers, size_t messages, uint64_t bytes) {
    Need need = {&suite.hashes, messages, bytes, bytes};
    const double hash = alternative(suite, need);
    need.family = &ciphers;
    return hash + alternative(suite, need);
}

// Returns the core cycles of texts in steps. Block 0 of ChaCha20-Poly1305 goes with the beginning
// (message/chacha_poly.cpp).
double text_cycles(const Suite &suite, bool opens, size_t messages, uint64_t bytes, uint64_t most) {
    const bool keyed = suite.construction == Construction::chacha_poly;
    const uint64_t first = keyed ? chacha_first_bytes(bytes) : 0;
    Need need = {&suite.ciphers(opens), messages, CHACHA_BLOCK + first, CHACHA_BLOCK + first};
    need.rounds_up = true;
    const double beginning = keyed ? alternative(suite, need) : 0;
    need.bytes = bytes - first, need.most = most - first;
    return beginning + (need.bytes ? alternative(suite, need) : 0);
}

// A burst in steps allocates and wipes memory once; that costs as much as this many messages in steps.
constexpr double BURST_MESSAGES = 2.5;
// Core cycles of the code around kernels, as fractions of what this code takes for a message in steps
// (Engine::message_cost), which is measured on each CPU. ALONE: it fills the state block of a kernel of one lane.
// IN_LANES, LANES: it keeps positions and chaining values of messages in lanes in the memory of a burst, for each
// message and once for the burst. PADDED_BYTE: it copies a byte of a padded message of a list.
constexpr double ALONE = 0.11, IN_LANES = 0.15, LANES = 0.9, PADDED_BYTE = 0.0005;

// Returns the core cycles that messages in steps take besides their kernels.
double steps_cycles(const Suite &suite, size_t messages) {
    return suite.engine->message_cost() * (double(messages) + BURST_MESSAGES);
}

// Returns the core cycles that the walks of a stitched middle, and those in front of it, take besides their kernels.
double walks_cycles(const Suite &suite, size_t messages) {
    constexpr double WALKS = 3;
    return suite.engine->message_cost() * WALKS * (LANES + IN_LANES * double(messages));
}

// Selects a pair kernel for the middle; NULL: there is none, or the parts one after the other take less time. beside:
// core cycles that the parts would save.
const Variant *pair_now(const Suite &suite, const Need &need, const Family &ciphers, double beside = 0) {
    bool lasts;
    const Variant *const pair = decide_ready(suite, need, &lasts).chosen.variant;
    if (!pair || pair == suite.forced) return pair;
    Need alone = need;
    alone.family = &ciphers;
    const double cipher = alternative(suite, alone);
    alone.family = &suite.hashes;
    const double hash = alternative(suite, alone);
    const double around = around_pair(suite, ciphers, need.messages, suite.hash->record.block_bytes) + beside;
    const double stitched = alternative(suite, need) + around;
    return cipher + hash < stitched * (1 - 2 * COST_PRECISION) ? nullptr : pair;  // factor 2: two costs are added
}

// Returns the core cycles of messages whose parts run one after the other or stitched.
double cycles_in_steps(const Suite &suite, bool opens, size_t messages, uint64_t bytes, uint64_t most) {
    Need parts = {&suite.hashes, messages, bytes, most};
    parts.rounds_up = true;
    const Lineup hash = decide(suite, parts, false).chosen;
    if (!hash.variant) return HUGE_VAL;
    double cycles = alternative(suite, parts) + text_cycles(suite, opens, messages, bytes, most);
    parts.rounds_up = false;
    parts.family = &suite.pairs;  // in counter mode, pairs of `encrypts` open too
    if (!suite.pairs.variants.empty() && pair_now(suite, parts, suite.encrypts))
        cycles = std::min(cycles,
                          alternative(suite, parts) + around_pair(suite, suite.encrypts, messages, hash.variant->step));
    return cycles + steps_cycles(suite, messages);
}

}  // namespace

const Variant *choose_message(const Suite &suite, bool opens, const Need &exact) {
    // Jobs that a forced kernel of lists does not take run on others.
    const bool others = suite.forced && !exact.family->holds(suite.forced) && !suite.lists[opens].holds(suite.forced);
    if (exact.family->variants.empty() || others) return nullptr;
    return chosen_before(suite, exact, Question(suite, exact, Question::Kind::message),
                         [&](const Need &need) -> const Variant * {
                             bool lasts;
                             const Ranking message = decide_ready(suite, need, &lasts);
                             const Variant *const v = message.chosen.variant;
                             if (!v || v == suite.forced || !need.bytes || !suite.hash) return v;
                             const double others = cycles_in_steps(suite, opens, need.messages, need.bytes, need.most);
                             return others < message.cycles * (1 - 2 * COST_PRECISION) ? nullptr : v;
                         });
}

const Variant *choose_list(const Suite &suite, bool opens, uint64_t bytes, uint64_t aad) {
    const Need need = list_need(suite, opens, 1, bytes, aad);
    const Family &family = *need.family;
    if (family.variants.empty() || !family.variants.front()->jobs.take_text(bytes) ||
        aad > family.variants.front()->jobs.most_aad || (suite.forced && !family.holds(suite.forced)))
        return nullptr;
    return line_up(suite, need).variant;
}

const Variant *choose_hash_list(const Suite &suite, bool opens, size_t n, uint64_t bytes, uint64_t hashed) {
    const double message = suite.engine->message_cost();
    Need exact = list_need(suite, opens, n, bytes, 0);
    if (exact.family->variants.empty()) return nullptr;
    // The longest length of a range is asked about for all of them, and lists may take only the shorter ones. For these
    // the multiple of 16 bytes below is asked about, which has as many blocks and a range of its own.
    const auto takes = [&](uint64_t length) {
        return std::any_of(exact.family->variants.begin(), exact.family->variants.end(),
                           [=](const Variant *v) { return v->takes_message(length); });
    };
    if (takes(bytes) && !takes(LengthRange::sample(bytes)))
        exact.bytes = exact.most = bytes / LengthRange::GRAIN * LengthRange::GRAIN;
    return chosen_before(
        suite, exact, Question(suite, exact, Question::Kind::message), [&](const Need &need) -> const Variant * {
            const Variant *const v = choose_list(suite, opens, need.bytes, 0);
            if (!v || v == suite.forced) return v;
            const double messages = double(need.messages);
            double list = on_this(*v, need, need.messages);
            if (v->message.padded) list += message * PADDED_BYTE * v->step * messages;
            Need apart = {&suite.hashes, need.messages, hashed, hashed};
            apart.whole_only = true;
            const Variant *const other = line_up(suite, apart).variant;
            double others = message * (other && other->lanes == 1 ? ALONE : LANES + IN_LANES * messages);
            others += step_cycles(suite, apart);
            apart.bytes = apart.most = suite.hash->record.block_bytes;
            if (suite.hmac()) others += step_cycles(suite, apart);
            return list < others * (1 - 2 * COST_PRECISION) ? v : nullptr;
        });
}

namespace {

const Variant *pair_for(const Suite &suite, const Need &exact, const Family &ciphers, Question::Kind kind,
                        double *cycles) {
    if (exact.family->variants.empty() || !exact.messages) return nullptr;
    if (suite.forced && !exact.family->holds(suite.forced)) return nullptr;
    const Variant *const pair =
        chosen_before(suite, exact, Question(suite, exact, kind, &ciphers == &suite.decrypts), [&](const Need &need) {
            return pair_now(suite, need, ciphers,
                            kind == Question::Kind::pair ? 0 : walks_cycles(suite, need.messages));
        });
    if (cycles && pair) *cycles = on_this(*pair, exact, exact.messages);
    return pair;
}

}  // namespace

const Variant *choose_pair(const Suite &suite, const Need &exact, const Family &ciphers, double *cycles) {
    return pair_for(suite, exact, ciphers, Question::Kind::pair, cycles);
}
const Variant *choose_pair_of_lists(const Suite &suite, const Need &exact, const Family &ciphers, double *cycles) {
    return pair_for(suite, exact, ciphers, Question::Kind::pair_or_lists, cycles);
}

bool both_beat_halves(const Suite &suite, const Need &exact) {
    if (exact.family->variants.empty()) return false;
    return chosen_before(suite, exact, Question(suite, exact, Question::Kind::pair),
                         [&](const Need &need) -> const Variant * {
                             bool lasts;
                             const Ranking both = decide_ready(suite, need, &lasts);
                             if (!both.chosen.variant || both.chosen.variant == suite.forced)
                                 return both.chosen.variant;
                             double halves = 0;
                             for (const Suite *half : suite.halves) {
                                 Need alone = need;
                                 alone.family = &half->hashes;
                                 halves += alternative(*half, alone);
                             }
                             return halves <= alternative(suite, need) ? nullptr : both.chosen.variant;
                         });
}

const Variant *choose_checked(const Suite &suite, bool opens, size_t n, uint64_t bytes) {
    const Family &family = opens ? suite.open_pairs : suite.pairs;
    const bool forced_apart = suite.halves[0]->forced || suite.halves[1]->forced;  // they must be seen to run
    if (family.variants.empty() || !n || forced_apart) return nullptr;
    Need exact = {&family, n, bytes, bytes};
    exact.whole = true;
    return chosen_before(
        suite, exact, Question(suite, exact, Question::Kind::pair), [&](const Need &need) -> const Variant * {
            bool lasts;
            const Ranking both = decide_ready(suite, need, &lasts);
            const Variant *const v = both.chosen.variant;
            if (!v || v == suite.forced) return v;
            const Suite &cipher = *suite.halves[0], &checksum = *suite.halves[1];
            Need sum = need;
            sum.family = &checksum.whole_hashes;
            const double alone =
                alternative(cipher, message_need(cipher, opens, n, need.bytes, 0)) + alternative(checksum, sum);
            return alone <= both.cycles ? nullptr : v;
        });
}

}  // namespace cst
