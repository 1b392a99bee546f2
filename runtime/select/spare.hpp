// Keeps blocks of memory from one call to the next: to allocate one takes a tenth of a short call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>

#include "thread_line.hpp"

namespace cst {

// Thread-safe and wait-free: of the threads that share a line, one gets its block, the others get new ones.
class Spare {
public:
    ~Spare() {
        for (Line &line : lines_) free(line.block.load(std::memory_order_relaxed));
    }

    // Returns a block of at least `bytes` bytes, aligned as malloc aligns; NULL if there is no memory.
    void *take(size_t bytes) {
        auto *block = static_cast<Head *>(lines_[thread_line()].block.exchange(nullptr, std::memory_order_acquire));
        if (!block || block->bytes < bytes) {
            free(block);
            block = static_cast<Head *>(malloc(sizeof(Head) + bytes));
            if (!block) return nullptr;
            block->bytes = bytes;
        }
        return block + 1;
    }

    // Takes back a block of take(), with nothing secret in it.
    void give(void *taken) {
        void *block = static_cast<Head *>(taken) - 1, *none = nullptr;
        if (!lines_[thread_line()].block.compare_exchange_strong(none, block, std::memory_order_release,
                                                                 std::memory_order_relaxed))
            free(block);
    }

private:
    struct alignas(std::max_align_t) Head {
        size_t bytes;
    };
    struct alignas(THREAD_LINE_BYTES) Line {
        std::atomic<void *> block{nullptr};
    };
    Line lines_[THREAD_LINES];
};

}  // namespace cst
