#include "lineup.hpp"

#include <algorithm>
#include <cstring>

#include "../select/cost.hpp"
#include "message.hpp"

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

// Core cycles of the calls for one message in each lane.
double calls(const Variant &v, const Need &need) {
    const uint64_t bytes = need.bytes - (need.whole ? v.message.head : 0);
    const uint64_t whole = bytes >> v.step_log2, rest = bytes & (v.step - 1);
    const double one = v.cost.per_call, iteration = v.cost.per_iteration;
    if (need.whole) return one + iteration * double(rest ? whole : whole ? whole - 1 : 0);
    if (!rest) return one + iteration * double(whole);
    if (need.rounds_up) return (need.bytes > MOST_DETOUR ? 2 : 1) * one + iteration * double(whole + 1);
    return (whole ? 2 : 1) * one + iteration * double(whole) + v.cost.per_byte * double(rest);
}

// All messages, those in the last round on the same kernel.
double on_this(const Variant &v, const Need &need, size_t n) {
    const double each = calls(v, need);
    const size_t rounds = v.full_rounds(n + v.lanes - 1);
    // Where lengths differ the longest may be under way when the others are done.
    const double longest = v.lanes > 1 ? v.cost.per_iteration * double(need.most >> v.step_log2) : 0;
    return std::max(each * double(rounds), v.cost.per_call + longest) + double(n) * loading(v, need.one_key);
}

__attribute__((noinline)) Lineup decide(const Suite &suite, const Need &need, bool only_ready) {
    Lineup best;
    const Variant *candidates[128];
    size_t found = 0;
    const uint32_t block = suite.hash ? suite.hash->record.read_bytes() : 0;
    for (const Variant *v : need.family->variants) {
        if ((need.whole_only && v->step != block) || (need.grain && v->step > need.grain)) continue;
        if (need.whole && v->message.is_short && (need.most > v->step || !need.short_aad)) continue;
        if (need.whole && need.bytes < v->message.head) continue;
        if (v == suite.forced) {
            if (cst::fits(*v, query_of(need))) return {v, need.messages, on_this(*v, need, need.messages), nullptr, 0};
        }
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
    return {pick.variant, messages, pick.cycles, pick.next, pick.next_cycles};
}

using Question = LineupMemo::Question;
using Answer = LineupMemo::Answer;

Question question_of(const Need &need, uint64_t kind) {
    const uint64_t flags = uint64_t(need.one_key) | uint64_t(need.aligned) << 1 | uint64_t(need.rounds_up) << 2 |
                           uint64_t(need.whole_only) << 3 | kind << 4 | uint64_t(need.whole) << 6 |
                           uint64_t(need.short_aad) << 7;
    const uint64_t grain = need.grain ? uint64_t(1 + __builtin_ctzll(need.grain)) : 0;
    return {uint64_t(reinterpret_cast<uintptr_t>(need.family)), uint64_t(need.messages) << 16 | grain << 8 | flags,
            need.bytes, need.most};
}
uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}
double of_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

// What was decided before about this question, or what is decided now. decide(bool *lasts): whether it is to be
// remembered.
template <typename Decide>
__attribute__((always_inline)) inline Lineup remembered(const Suite &suite, const Need &need, uint64_t kind,
                                                        Decide decide) {
    LineupMemo &memo = suite.engine->lineups();
    const bool usual = !suite.forced && suite.remembered;
    const Question question = question_of(need, kind);
    Answer answer;
    if (usual && memo.recall(question, &answer)) {
        const Variant *const v = reinterpret_cast<const Variant *>(uintptr_t(answer[0]));
        return {v, size_t(answer[1]), of_bits(answer[2]), reinterpret_cast<const Variant *>(uintptr_t(answer[3])),
                of_bits(answer[4])};
    }
    bool lasts = true;
    const Lineup lineup = decide(&lasts);
    if (usual && lasts)
        memo.remember(question,
                      {uint64_t(reinterpret_cast<uintptr_t>(lineup.variant)), lineup.messages, bits_of(lineup.cycles),
                       uint64_t(reinterpret_cast<uintptr_t>(lineup.next)), bits_of(lineup.next_cycles)});
    return lineup;
}

bool holds(const Family &family, const Variant *v) {
    return std::find(family.variants.begin(), family.variants.end(), v) != family.variants.end();
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

Lineup line_up(const Suite &suite, const Need &need) {
    return remembered(suite, need, 0, [&](bool *lasts) {
        for (;; *lasts = false) {
            const Lineup lineup = decide(suite, need, !*lasts);
            const Kernel *kernel;
            // What else is refused, or there is no memory for it, is known by then: only what is ready is asked for.
            if (!lineup.variant || !suite.engine->fetch(*lineup.variant, &kernel)) return lineup;
        }
    });
}

const Variant *line_up_whole(const Suite &suite, const Family &family, LastChoice *last, size_t n, uint64_t bytes) {
    return said_last(suite, family, last, n, bytes, false, [&] {
        Need need = {&family, n, bytes, bytes};
        need.whole = true;
        return line_up(suite, need).variant;
    });
}

namespace {

// In front of the middle that a pair does and behind it cipher and hash have calls of their own, of so many bytes.
double around_pair(const Suite &suite, const Family &ciphers, size_t messages, uint64_t bytes) {
    Need need = {&suite.hashes, messages, bytes, bytes};
    const double hash = line_up(suite, need).cycles;
    need.family = &ciphers;
    return hash + line_up(suite, need).cycles;
}

// Texts in steps. Of ChaCha20-Poly1305 block 0 goes with the beginning (chacha_poly.cpp).
double text_cycles(const Suite &suite, bool opens, size_t messages, uint64_t bytes, uint64_t most) {
    const bool keyed = suite.construction == Construction::chacha_poly;
    const uint64_t first = keyed ? chacha_first_bytes(bytes) : 0;
    Need need = {&suite.ciphers(opens), messages, CHACHA_BLOCK + first, CHACHA_BLOCK + first};
    need.rounds_up = true;
    const double beginning = keyed ? line_up(suite, need).cycles : 0;
    need.bytes = bytes - first, need.most = most - first;
    return beginning + (need.bytes ? line_up(suite, need).cycles : 0);
}

// What a burst in steps costs once, since memory is taken for it and wiped, is as much as of so many messages.
constexpr double BURST_MESSAGES = 2.5;

}  // namespace

Lineup choose_message(const Suite &suite, bool opens, size_t messages, uint64_t bytes, uint64_t most, uint64_t aad) {
    const Family &family = suite.messages[opens];
    if (family.variants.empty() || (suite.forced && !holds(family, suite.forced))) return {};
    Need need = {&family, messages, bytes, most};
    need.whole = true;
    need.short_aad = aad <= SHORT_MESSAGE_AAD;
    return remembered(suite, need, 2, [&](bool *) {
        Lineup message = line_up(suite, need);
        if (!message.variant || message.variant == suite.forced || !bytes || !suite.hash) return message;
        Need parts = {&suite.hashes, messages, bytes, most};
        parts.rounds_up = true;
        const Lineup hash = line_up(suite, parts);
        double others = hash.cycles + text_cycles(suite, opens, messages, bytes, most);
        parts.rounds_up = false;
        parts.family = &suite.pairs;  // in counter mode they open too
        double pair;
        if (choose_pair(suite, parts, suite.encrypts, &pair))
            others = std::min(others, pair + around_pair(suite, suite.encrypts, messages, hash.variant->step));
        others += suite.engine->message_cost() * (double(messages) + BURST_MESSAGES);
        if (others < message.cycles * (1 - 2 * COST_PRECISION)) message.variant = nullptr;
        return message;
    });
}

const Variant *choose_pair(const Suite &suite, const Need &need, const Family &ciphers, double *cycles) {
    if (need.family->variants.empty() || !need.messages) return nullptr;
    if (suite.forced && !holds(*need.family, suite.forced)) return nullptr;
    const Lineup chosen = remembered(suite, need, 1, [&](bool *) {
        Lineup pair = line_up(suite, need);
        if (!pair.variant || pair.variant == suite.forced) return pair;
        Need alone = need;
        alone.family = &ciphers;
        const Lineup cipher = line_up(suite, alone);
        alone.family = &suite.hashes;
        const Lineup hash = line_up(suite, alone);
        const double around = around_pair(suite, ciphers, need.messages, suite.hash->record.block_bytes);
        if (cipher.variant && hash.variant &&
            cipher.cycles + hash.cycles < (pair.cycles + around) * (1 - 2 * COST_PRECISION))  // two costs are added
            pair.variant = nullptr;
        return pair;
    });
    if (cycles) *cycles = chosen.cycles;
    return chosen.variant;
}

}  // namespace cst
