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

private:
    static constexpr size_t kSlots = 64;
    std::atomic<uint64_t> slots_[kSlots] = {};
};

}  // namespace cst
