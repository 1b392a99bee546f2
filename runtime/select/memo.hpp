// Choices made before: most bursts ask what an earlier one asked.
#pragma once

#include <atomic>

#include "dispatch.hpp"

namespace cst {

// Slots of 64 bits in sets of four: what comes last pushes out the oldest of its set. So a few questions that every burst asks do not displace one another, whatever their
// hashes. Lock-free: two threads that put at once may lose or double a slot.
template <size_t kSets>
class SlotSets {
public:
    // The slot of the set whose bits above the low 16 are those of `upper`; 0: none.
    uint64_t find(size_t set, uint64_t upper) const {
        for (const auto &slot : slots_[set]) {
            const uint64_t value = slot.load(std::memory_order_relaxed);
            if (((value ^ upper) & ~kLow) == 0 && value & kLow) return value;
        }
        return 0;
    }
    void put(size_t set, uint64_t value) {
        const uint64_t upper = value & ~kLow;
        for (auto &slot : slots_[set]) {
            const uint64_t before = slot.load(std::memory_order_relaxed);
            slot.store(value, std::memory_order_relaxed);
            if ((before & ~kLow) == upper) return;
            value = before;
        }
    }
    void clear() {
        for (auto &set : slots_)
            for (auto &slot : set) slot.store(0, std::memory_order_relaxed);
    }

private:
    static constexpr uint64_t kLow = 0xffff;
    std::atomic<uint64_t> slots_[kSets][4] = {};
};

// Forgetful: a slot holds 48 bits of the question's hash and the place of the answer in its family.
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
        const uint64_t place = exact_.find(exact_set(question), question << 16) & 0xffff;
        return place - 1 < family.variants.size() ? family.variants[place - 1] : nullptr;
    }
    void remember_exact(const Family &family, uint64_t question, const Variant *choice);

private:
    static constexpr size_t kSets = 16, kExactSets = 32;
    static size_t exact_set(uint64_t question) { return question * 0x9e3779b97f4a7c15 >> 59; }  // Fibonacci hashing
    static_assert(kExactSets == 32, "five bits");
    SlotSets<kSets> slots_;
    SlotSets<kExactSets> exact_;
};

}  // namespace cst
