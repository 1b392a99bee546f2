// Counts how often a kernel was called.
#pragma once

#include <atomic>
#include <new>

#include "thread_line.hpp"

namespace cst {

// Uses no locked additions: they wait for all loads and stores in progress, and a short message took 2 to 7 % longer
// with them. If threads that share a line add at the same moment, a call may be lost.
class CallCounter {
public:
    CallCounter() = default;
    ~CallCounter() { delete[] lines_.load(std::memory_order_relaxed); }
    CallCounter(const CallCounter &) = delete;
    CallCounter &operator=(const CallCounter &) = delete;

    // Allocates the counters before the first call; several threads may call it. Returns false if there is no memory.
    bool make() {
        if (lines_.load(std::memory_order_acquire)) return true;
        Line *const lines = new (std::nothrow) Line[THREAD_LINES];
        Line *none = nullptr;
        if (!lines || lines_.compare_exchange_strong(none, lines, std::memory_order_acq_rel)) return lines;
        delete[] lines;
        return true;
    }
    void add(uint64_t calls) {
        std::atomic<uint64_t> &mine = lines_.load(std::memory_order_relaxed)[thread_line()].calls;
        mine.store(mine.load(std::memory_order_relaxed) + calls, std::memory_order_relaxed);
    }
    uint64_t sum() const {
        const Line *const lines = lines_.load(std::memory_order_acquire);
        uint64_t calls = 0;
        for (size_t i = 0; lines && i < THREAD_LINES; i++) calls += lines[i].calls.load(std::memory_order_relaxed);
        return calls;
    }

private:
    struct alignas(THREAD_LINE_BYTES) Line {
        std::atomic<uint64_t> calls{0};
    };
    std::atomic<Line *> lines_{nullptr};
};

}  // namespace cst
