// A block of memory that is kept from one call to the next: asking for it anew is a tenth of a short call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>

namespace cst {

// For any number of threads at once: one of them has the block, the others get one of their own. Nothing waits.
class Spare {
public:
    ~Spare() { free(block_.load(std::memory_order_relaxed)); }

    // A block of at least so many bytes, as malloc aligns them; NULL when there is no memory.
    void *take(size_t bytes) {
        auto *block = static_cast<Head *>(block_.exchange(nullptr, std::memory_order_acquire));
        if (!block || block->bytes < bytes) {
            free(block);
            block = static_cast<Head *>(malloc(sizeof(Head) + bytes));
            if (!block) return nullptr;
            block->bytes = bytes;
        }
        return block + 1;
    }

    // What take gave, with nothing secret in it.
    void give(void *taken) {
        void *block = static_cast<Head *>(taken) - 1, *none = nullptr;
        if (!block_.compare_exchange_strong(none, block, std::memory_order_release, std::memory_order_relaxed)) free(block);
    }

private:
    struct alignas(std::max_align_t) Head {
        size_t bytes;
    };
    std::atomic<void *> block_{nullptr};
};

}  // namespace cst
