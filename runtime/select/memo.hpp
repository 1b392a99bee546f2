// Choices made before: most bursts ask what an earlier one asked.
#pragma once

#include <atomic>

#include "dispatch.hpp"

namespace cst {

// Lock-free and forgetful: a slot holds 48 bits of the question's hash and the place of the answer in its family; whoever comes last wins.
// Lengths count by their leading four bits. What comes back fits the question, whatever the hash says.
class ChoiceMemo {
public:
    // False when the answer is not remembered. A NULL answer (no pair kernel is worth it) is remembered only for `pair`.
    bool recall(const Family &family, const Query &query, bool pair, const Variant **choice) const;
    // After costs have changed. Not while anybody asks.
    void forget();
    void remember(const Family &family, const Query &query, bool pair, const Variant *choice);

    // The answers for whole bursts of short items that are alike, where asking by Query takes as long as a short call: `question` is the question itself, not
    // a hash of it, below 2^48. NULL: not remembered.
    const Variant *recall_exact(const Family &family, uint64_t question) const {
        const uint64_t slot = exact_[exact_slot(question)].load(std::memory_order_relaxed), place = slot & 0xffff;
        return slot >> 16 == question && place - 1 < family.variants.size() ? family.variants[place - 1] : nullptr;
    }
    void remember_exact(const Family &family, uint64_t question, const Variant *choice);

private:
    static constexpr size_t kSlots = 64, kExact = 64;
    static size_t exact_slot(uint64_t question) { return question * 0x9e3779b97f4a7c15 >> 58; }  // Fibonacci hashing
    static_assert(kExact == 64, "six bits");
    std::atomic<uint64_t> slots_[kSlots] = {}, exact_[kExact] = {};
};

}  // namespace cst
