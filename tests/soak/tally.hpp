// What was done so far. A thread counts its own; anybody may read.
#pragma once

#include <atomic>
#include <set>
#include <string>

#include "subject.hpp"

namespace soak {

enum Entry { BURST, SINGLE, MANAGER, RECORDS, ENTRIES };

struct Tally {
    std::atomic<uint64_t> bursts{0}, jobs{0}, bytes{0}, forged{0}, scattered{0}, refused{0};
    std::atomic<uint64_t> entries[ENTRIES] = {};  // bursts
    // After the end.
    std::vector<uint64_t> suites, targets;        // jobs of each

    explicit Tally(const Subject &subject) : suites(subject.suites().size()), targets(subject.targets().size()) {}
    void count(const Tally &other);
    std::string line() const;
};

// One writer: without a locked addition.
inline void add(std::atomic<uint64_t> *to, uint64_t n) {
    to->store(to->load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

}  // namespace soak
