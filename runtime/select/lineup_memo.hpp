// What was decided before: most bursts ask what an earlier one asked. Lock-free.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace cst {

// A question and its answer, in words. Questions are compared whole: nothing else than what was remembered for a
// question comes back for it. What was put last pushes out what had its place.
template <size_t kQuestion, size_t kAnswer>
class Memo {
public:
    using Question = std::array<uint64_t, kQuestion>;
    using Answer = std::array<uint64_t, kAnswer>;

    // False: it is not remembered, or is being written.
    bool recall(const Question &question, Answer *answer) const {
        const uint64_t hash = hash_of(question);
        return slots_[hash % kSlots].read(question, answer) || slots_[(hash ^ 1) % kSlots].read(question, answer);
    }
    void remember(const Question &question, const Answer &answer) {
        const uint64_t hash = hash_of(question);
        Slot &first = slots_[hash % kSlots];
        Question pushed;
        Answer its;
        // What stood there goes to the neighbour.
        if (first.copy(&pushed, &its) && pushed != question) slots_[(hash ^ 1) % kSlots].write(pushed, its);
        first.write(question, answer);
    }
    // Not while anybody asks.
    void forget() {
        for (Slot &slot : slots_) slot.clear();
        generation_++;
    }
    // Another one after what was decided has been forgotten.
    uint16_t generation() const { return generation_; }

private:
    static constexpr size_t kSlots = 1024;

    // A sequence lock: odd while it is written; 0: nothing is there.
    class Slot {
    public:
        bool copy(Question *question, Answer *answer) const {
            const uint64_t before = version_.load(std::memory_order_acquire);
            if (!before || before & 1) return false;
            for (size_t i = 0; i < kQuestion; i++) (*question)[i] = words_[i].load(std::memory_order_acquire);
            for (size_t i = 0; i < kAnswer; i++) (*answer)[i] = words_[kQuestion + i].load(std::memory_order_acquire);
            return version_.load(std::memory_order_relaxed) == before;
        }
        bool read(const Question &question, Answer *answer) const {
            const uint64_t before = version_.load(std::memory_order_acquire);
            uint64_t other = 0;
#pragma GCC unroll 8
            for (size_t i = 0; i < kQuestion; i++) other |= words_[i].load(std::memory_order_acquire) ^ question[i];
            if (other || !before || before & 1) return false;
#pragma GCC unroll 8
            for (size_t i = 0; i < kAnswer; i++) (*answer)[i] = words_[kQuestion + i].load(std::memory_order_acquire);
            return version_.load(std::memory_order_relaxed) == before;
        }
        void write(const Question &question, const Answer &answer) {
            uint64_t before = version_.load(std::memory_order_relaxed);
            if (before & 1 || !version_.compare_exchange_strong(before, before + 1, std::memory_order_acq_rel))
                return;  // somebody else writes: one of the two is remembered
            for (size_t i = 0; i < kQuestion; i++) words_[i].store(question[i], std::memory_order_release);
            for (size_t i = 0; i < kAnswer; i++) words_[kQuestion + i].store(answer[i], std::memory_order_release);
            version_.store(before + 2, std::memory_order_release);
        }
        void clear() { version_.store(0, std::memory_order_relaxed); }

    private:
        std::atomic<uint64_t> version_{0};
        std::atomic<uint64_t> words_[kQuestion + kAnswer] = {};
    };

    static uint64_t hash_of(const Question &question) {
        static constexpr uint64_t kOdd[] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu,
                                            0xd6e8feb86659fd93u, 0xa0761d6478bd642fu, 0xe7037ed1a0b428dbu};
        static_assert(kQuestion <= sizeof(kOdd) / sizeof(kOdd[0]));
        uint64_t hash = 0;
#pragma GCC unroll 8
        for (size_t i = 0; i < kQuestion; i++) hash ^= question[i] * kOdd[i];
        return hash >> 40 ^ hash >> 20;  // of words that differ in low bits only the high ones differ
    }

    Slot slots_[kSlots];
    uint16_t generation_ = 0;
};

// Of line-ups: the family, messages and flags, mean and longest bytes; the kernel, messages, cycles, and the next best.
using LineupMemo = Memo<4, 5>;

}  // namespace cst
