// Guesses which objects were used recently, and so are in a cache; a wrong guess costs nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cst {

// Addresses, each in a slot that its bits choose: of bursts that each ask about two, some thirty are remembered, whose
// keys a second-level cache holds. Thread-safe.
class Recent {
public:
    // Returns whether the object was used recently, and notes that it is used now.
    bool used(const void *what) {
        const uintptr_t at = reinterpret_cast<uintptr_t>(what) / LINE;
        std::atomic<uint32_t> &place = places_[(at ^ at >> 12) % PLACES];
        const uint32_t mark = uint32_t(at);
        if (place.load(std::memory_order_relaxed) == mark) return true;
        place.store(mark, std::memory_order_relaxed);
        return false;
    }

private:
    static constexpr size_t LINE = 64, PLACES = 64;

    std::atomic<uint32_t> places_[PLACES] = {};
};

}  // namespace cst
