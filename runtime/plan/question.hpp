// Questions to the kernel selection, and their cached answers (select/choices.hpp).
#pragma once

#include <algorithm>

#include "../suite/suite.hpp"
#include "sizes.hpp"

namespace cst {

// Describes the step that needs a kernel.
struct Need {
    const Family *family;
    size_t messages;
    uint64_t bytes;          // mean length of a message
    uint64_t most;           // length of the longest message: an iteration must not need more
    bool one_key = false;
    bool aligned = true;     // cipher and hash are at the same byte, so that hand-over kernels may run
    bool rounds_up = false;  // the end of a text may be padded to a whole iteration
    bool whole_only = false; // only kernels whose iteration is one block of the hash
    bool whole = false;      // one call processes a message, its end included
    bool short_aad = false;  // the AAD is short enough for kernels of short AADs
    uint64_t grain = 0;      // only kernels whose iteration is at most this many bytes, a power of two; 0: any
};

struct Lineup {
    const Variant *variant = nullptr;  // NULL: none fits. Otherwise its code is loaded
    size_t messages = 0;  // how many messages, the longest, run on it; select again for the others
};

// Number of a need, shared by all needs of similar lengths. It is computed for every message; the need that represents
// them is made only if no answer is cached.
struct Question {
    // A question asks for the kernel of one step, or whether a pair kernel takes less time than its parts, in steps or
    // as lists (which need no steps), or whether a kernel of whole messages does.
    enum class Kind : uint64_t { step, pair, pair_or_lists, message };

    // Inlined, most of it is constant where the fields of a need are.
    [[gnu::always_inline]] Question(const Suite &suite, const Need &need, Kind kind, bool decrypts = false)
        : number(lengths_of(need) | rest(suite, need, kind, decrypts)) {}

    const uint64_t number;

    // Returns the need that represents all needs with this number.
    static Need sample(const Need &exact) {
        Need need = exact;
        if (!mixed(exact)) {
            need.bytes = need.most = LengthRange::sample(exact.bytes);
            if (need.messages > FEW) need.messages = LengthRange::floor_of_quarter(need.messages);
        } else {
            need.most = LengthRange::floor_of_half(exact.most);
            need.bytes = std::min(LengthRange::middle_of_half(exact.bytes), need.most - 1);  // the sample is a mix, too
            if (need.messages > FEW_MIXED) need.messages = LengthRange::floor_of_quarter(need.messages);
        }
        return need;
    }

    // Returns the part of the number that does not depend on the lengths.
    [[gnu::always_inline]] static uint64_t rest(const Suite &suite, const Need &need, Kind kind, bool decrypts) {
        const uint64_t grain = need.grain ? std::min(1 + __builtin_ctzll(need.grain), MOST_GRAIN) : 0;
        const uint64_t flags = uint64_t(need.one_key) | uint64_t(need.aligned) << 1 | uint64_t(need.rounds_up) << 2 |
                               uint64_t(need.whole_only) << 3 | uint64_t(need.whole) << 4 |
                               uint64_t(need.short_aad) << 5 | uint64_t(decrypts) << 6 | uint64_t(kind) << 7;
        return messages_of(need) << 18 | grain << 26 | flags << 30 | uint64_t(suite.engine->cost_generation()) << 39;
    }

private:
    static constexpr uint64_t FEW = MOST_MESSAGES, FEW_MIXED = 8, MIXED = 1 << 17;
    static constexpr int MOST_GRAIN = 15;

    static bool mixed(const Need &need) { return need.bytes != need.most; }
    [[gnu::always_inline]] static uint64_t lengths_of(const Need &need) {
        if (!mixed(need)) return LengthRange::of(need.bytes);
        return MIXED | LengthRange::half(need.bytes) << 8 | LengthRange::half(need.most);
    }
    // In a mix, lanes are refilled as they become free: one message more or less does not add a round.
    [[gnu::always_inline]] static uint64_t messages_of(const Need &need) {
        uint64_t n = need.messages;
        if (n > FEW_MIXED && mixed(need)) n = LengthRange::floor_of_quarter(n);
        return n <= FEW ? n : FEW + LengthRange::quarter(n);
    }
};
static_assert(4 * (LengthRange::MOST_LOG2 + 1) <= 1 << 8 && 39 + 16 <= Choices::QUESTION_BITS, "it has room");

// Whether questions about the suite's kernels may be answered from the cache.
inline bool usual(const Suite &suite) { return !suite.forced && suite.remembered; }

// Whether the kernel can process such messages, and may run.
bool takes(const Suite &suite, const Variant &v, const Need &need);

// Returns false if no answer is cached for such messages, or the cached kernel does not take these. Below
// LengthRange::FINE, a kernel that takes the messages of the sample takes all that are as many and as long.
inline bool recall(const Suite &suite, const Need &need, const Question &question, Lineup *lineup) {
    Choice choice;
    if (!need.family->choices.recall(question.number, &choice)) return false;
    if (choice.index == Choice::NONE) return *lineup = {nullptr, need.messages}, true;
    const Variant &v = *need.family->variants[choice.index];
    const bool fine = need.bytes == need.most && need.bytes < LengthRange::FINE;
    if (!fine && !takes(suite, v, need)) return false;
    const size_t full = choice.full_rounds ? v.full_rounds(need.messages) * v.lanes : 0;
    return *lineup = {&v, full ? full : need.messages}, true;
}

}  // namespace cst
