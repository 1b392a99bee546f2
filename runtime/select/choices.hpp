// Caches which kernel of a family is selected for a range of lengths and a number of messages. Lengths within a range
// hardly change what a kernel costs, so messages of random lengths ask some hundred questions in all. Lock-free.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace cst {

// Ranges of lengths. Every kernel's iteration is a multiple of 16 bytes: below 1,024 bytes a length is rounded up to
// such a multiple, and a length that is one has a range of its own. Longer lengths fall into eighths of an octave, of
// which the first length has a range of its own, too: where a kernel ends that takes short messages only, other lengths
// begin. The other multiples of 64 bytes are a range, and all that is left is one.
struct LengthRange {
    static constexpr uint64_t GRAIN = 16, FINE = 1024, COARSE_GRAIN = 64;
    static constexpr unsigned FINE_LOG2 = 10, MOST_LOG2 = 36;
    static constexpr uint32_t FINE_RANGES = 2 * (FINE / GRAIN + 1),
                              RANGES = FINE_RANGES + 3 * 8 * (MOST_LOG2 + 1 - FINE_LOG2);

    static uint32_t of(uint64_t bytes) {
        if (bytes < FINE) return uint32_t((bytes + GRAIN - 1) / GRAIN * 2 + (bytes % GRAIN != 0));
        return FINE_RANGES + 3 * (eighth(bytes) - 8 * FINE_LOG2) + uint32_t(part_of_eighth(bytes));
    }
    // Returns the length that represents a range. Where ranges are fine, it is in the range and takes as many
    // iterations of any kernel; where they are coarse, it is the least length. It represents itself, too.
    static uint64_t sample(uint64_t bytes) {
        if (bytes < FINE) return (bytes + GRAIN - 1) / GRAIN * GRAIN - (bytes % GRAIN != 0);
        static constexpr uint64_t first[] = {0, COARSE_GRAIN, 1};
        return floor_of_eighth(bytes) + first[part_of_eighth(bytes)];
    }
    // Returns the largest length of a range.
    static uint64_t most(uint64_t bytes) {
        if (bytes < FINE) return sample(bytes);
        const unsigned part = part_of_eighth(bytes);
        if (!part) return bytes;
        const uint64_t last = bytes | ((uint64_t(1) << (log2_of(bytes) - 3)) - 1);
        return part == 1 ? last & ~(COARSE_GRAIN - 1) : last;
    }

    // Returns the eighth of an octave that x falls into, counted from 1. floor_of_eighth returns the least number of
    // it.
    static uint32_t eighth(uint64_t x) {
        const unsigned log2 = log2_of(x);
        if (log2 > MOST_LOG2) return 8 * (MOST_LOG2 + 1) - 1;
        return 8 * log2 + uint32_t(log2 >= 3 ? x >> (log2 - 3) & 7 : (x << (3 - log2)) & 7);
    }
    static uint64_t floor_of_eighth(uint64_t x) { return floor_of(x, 3); }
    // Quarters and halves of an octave, likewise; a half also has its middle.
    static uint32_t quarter(uint64_t x) { return eighth(x) / 2; }
    static uint64_t floor_of_quarter(uint64_t x) { return floor_of(x, 2); }
    static uint32_t half(uint64_t x) { return eighth(x) / 4; }
    static uint64_t floor_of_half(uint64_t x) { return floor_of(x, 1); }
    static uint64_t middle_of_half(uint64_t x) {
        const unsigned log2 = log2_of(x);
        return log2 < 2 ? x : floor_of(x, 1) + (uint64_t(1) << (log2 - 2));
    }

private:
    // 0: the first length of its eighth, 1: another multiple of 64, 2: any other. x: FINE or more.
    static unsigned part_of_eighth(uint64_t x) {
        const unsigned below = log2_of(x) - 3;
        return unsigned(x >> below << below != x) + unsigned(x % COARSE_GRAIN != 0);
    }
    static unsigned log2_of(uint64_t x) { return 63 - unsigned(__builtin_clzll(x | 1)); }
    static uint64_t floor_of(uint64_t x, unsigned bits) {
        const unsigned log2 = log2_of(x);
        return log2 <= bits ? x : x >> (log2 - bits) << (log2 - bits);
    }
};

// A kernel of a family, and how many messages it takes.
struct Choice {
    static constexpr uint32_t NONE = 254;
    uint32_t index;  // in the family; NONE: no kernel is to be used
    bool full_rounds;  // only messages that fill all lanes; the others need a selection of their own
};

// Each choice is one word that holds question and answer, so that an answer always belongs to its question. A copy is
// empty.
class Choices {
public:
    Choices() = default;
    Choices(const Choices &) {}
    Choices &operator=(const Choices &) {
        delete table_.exchange(nullptr);
        return *this;
    }
    ~Choices() { delete table_.load(std::memory_order_relaxed); }

    static constexpr unsigned QUESTION_BITS = 55;  // a question has no more

    bool recall(uint64_t question, Choice *choice) const {
        const Table *const table = table_.load(std::memory_order_acquire);
        if (!table) return false;
        for (const std::atomic<uint64_t> &place : table->sets[set_of(question)]) {
            const uint64_t word = place.load(std::memory_order_acquire);
            if (word >> CHOICE_BITS != question || !(word & INDEX)) continue;
            *choice = {uint32_t(word & INDEX) - 1, (word & FULL_ROUNDS) != 0};
            return true;
        }
        return false;
    }
    // Does nothing if there is no memory, or if the choice does not fit into a word.
    void remember(uint64_t question, const Choice &choice) {
        Table *table = table_.load(std::memory_order_acquire);
        if (!table) {
            Table *const made = new (std::nothrow) Table();
            if (!made) return;
            if (table_.compare_exchange_strong(table, made, std::memory_order_acq_rel)) table = made;
            else delete made;
        }
        if (choice.index > NONE_INDEX) return;
        std::atomic<uint64_t>(&set)[WAYS] = table->sets[set_of(question)];
        size_t at = question * ODD >> 32 & (WAYS - 1);  // the entry to replace if there is no room
        for (size_t i = 0; i < WAYS; i++) {
            const uint64_t word = set[i].load(std::memory_order_relaxed);
            if (word && word >> CHOICE_BITS != question) continue;
            at = i;
            break;
        }
        set[at].store(question << CHOICE_BITS | (choice.full_rounds ? FULL_ROUNDS : 0) | (choice.index + 1),
                      std::memory_order_release);
    }

private:
    static constexpr unsigned CHOICE_BITS = 64 - QUESTION_BITS;
    static constexpr uint64_t INDEX = 0xff, FULL_ROUNDS = 0x100, ODD = 0x9e3779b97f4a7c15u;
    static constexpr uint32_t NONE_INDEX = Choice::NONE;
    static constexpr size_t SETS = 128, WAYS = 8;
    struct Table {
        alignas(64) std::atomic<uint64_t> sets[SETS][WAYS] = {};
    };
    static size_t set_of(uint64_t question) { return (question ^ question >> 21) * ODD >> 57; }

    std::atomic<Table *> table_{nullptr};
};

}  // namespace cst
