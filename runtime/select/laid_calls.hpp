// Caches which kernel runs a message alone: one load for each range of lengths. Lock-free.
#pragma once

#include "choices.hpp"
#include "kernel_call.hpp"

namespace cst {

// The kernel calls of a suite and direction. A copy is empty.
class LaidCalls {
public:
    LaidCalls() = default;
    LaidCalls(const LaidCalls &) {}
    LaidCalls &operator=(const LaidCalls &) {
        delete table_.exchange(nullptr);
        return *this;
    }
    ~LaidCalls() { delete table_.load(std::memory_order_relaxed); }

    // The choices for messages with an AAD of one length under one generation of the engine's costs.
    class Row;
    Row row(uint16_t generation, uint64_t aad) const;
    // call: NULL, or one that `of` returned. Does nothing if there is no memory.
    void remember(uint16_t generation, uint64_t aad, uint64_t bytes, const KernelCall *call) {
        Table *const table = made();
        if (!table) return;
        uint32_t index = NONE;
        while (call && table->calls[index].load(std::memory_order_acquire) != call)
            if (++index == MOST) return;
        table->choices[row_of(aad)][LengthRange::of(bytes)].store(uint32_t(generation) << INDEX_BITS | index,
                                                                  std::memory_order_release);
    }
    // Returns the kernel's call, with functions that run jobs or without, which lay_down() makes if there is none yet.
    // NULL: there is no room for it.
    template <typename LayDown>
    const KernelCall *of(const Variant &v, bool runs, LayDown lay_down) {
        return of([&](const KernelCall &call) { return call.variant == &v && (call.run != nullptr) == runs; },
                  lay_down);
    }
    // Likewise the call of which is(call) is true.
    template <typename Is, typename LayDown>
    const KernelCall *of(Is is, LayDown lay_down) {
        Table *const table = made();
        for (uint32_t i = NONE + 1; table && i < MOST; i++) {
            const KernelCall *call = table->calls[i].load(std::memory_order_acquire);
            if (!call) {
                const KernelCall *const made = new (std::nothrow) KernelCall(lay_down());
                if (!made) return nullptr;
                if (table->calls[i].compare_exchange_strong(call, made, std::memory_order_acq_rel)) return made;
                delete made;  // another thread was faster
            }
            if (is(*call)) return call;
        }
        return nullptr;
    }

private:
    // Which kernel is best depends on whether the AAD is short, or a block of which half is there (ListedJobs), and on
    // whether whole blocks remain after it.
    static unsigned row_of(uint64_t aad) {
        const bool is_block = aad - ONE_BLOCK_AAD / 2 <= ONE_BLOCK_AAD / 2;
        return unsigned(aad <= SHORT_MESSAGE_AAD) + unsigned(is_block) + 3 * unsigned(aad % 16 == 0);
    }
    static constexpr unsigned ROWS = 6;
    static constexpr unsigned INDEX_BITS = 8;
    static constexpr uint32_t INDEX = (1 << INDEX_BITS) - 1, NONE = 1, MOST = 64;  // index 0: not known
    struct Table {
        ~Table() {
            for (auto &call : calls) delete call.load(std::memory_order_relaxed);
        }
        std::atomic<uint32_t> choices[ROWS][LengthRange::RANGES] = {};
        std::atomic<const KernelCall *> calls[MOST] = {};
    };
    // Returns NULL if there is no memory.
    Table *made() {
        Table *table = table_.load(std::memory_order_acquire);
        if (table) return table;
        Table *const made = new (std::nothrow) Table();
        if (!made || table_.compare_exchange_strong(table, made, std::memory_order_acq_rel)) return made;
        delete made;
        return table;
    }

    std::atomic<Table *> table_{nullptr};
};

class LaidCalls::Row {
public:
    // Returns false if no choice is known for a text of that length. call: receives NULL if no such kernel is to be
    // used.
    bool recall(uint64_t bytes, const KernelCall **call) const {
        if (!table_) return false;
        const uint32_t choice = table_->choices[row_][LengthRange::of(bytes)].load(std::memory_order_acquire);
        *call = table_->calls[choice & INDEX].load(std::memory_order_relaxed);
        return choice >> INDEX_BITS == generation_ && choice & INDEX;
    }

private:
    friend LaidCalls;
    Row(const Table *table, uint16_t generation, unsigned row) : table_(table), generation_(generation), row_(row) {}

    const Table *const table_;
    const uint16_t generation_;
    const unsigned row_;
};

inline LaidCalls::Row LaidCalls::row(uint16_t generation, uint64_t aad) const {
    return Row(table_.load(std::memory_order_acquire), generation, row_of(aad));
}

}  // namespace cst
