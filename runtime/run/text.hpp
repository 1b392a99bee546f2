// The cipher side of messages.
#pragma once

#include "lineup.hpp"
#include "message.hpp"

namespace cst {

// Runs the cipher over each text, from `ciphered` up to `text_stop`; where that is all of the text, over `last` too,
// and writes both. Lengths of a counter mode end anywhere. Of several messages the list is put into another order.
void run_texts(const Class &c, Message **list, size_t n, bool decrypts);
// To the end of the text, every message of the class that has not failed.
void run_all_texts(const Class &c, bool decrypts);

// What run_all_texts begins with.
Ranking rank_texts(const Class &c);
// Whether the suite's cipher is a counter mode, or ChaCha20.
bool counts(const Suite &suite);
// What a kernel leaves of a text is filled up in the scratch, where blocks do not wait for one another, or nothing
// follows.
bool rounds_up(const Suite &suite, bool decrypts);
// The 32 bits of a counter that kernels count in.
class CounterWord {
public:
    explicit CounterWord(Construction construction);
    // Whether a carry goes farther at all: texts may be that long.
    bool carries() const { return carries_; }
    // Blocks until it does.
    uint64_t left(const void *counter) const {
        uint32_t word;
        memcpy(&word, static_cast<const uint8_t *>(counter) + at_, sizeof(word));
        return (uint64_t(1) << 32) - (big_endian_ ? __builtin_bswap32(word) : word);
    }

private:
    size_t at_ = 12;
    bool big_endian_ = true, carries_ = true;
};

// Counters that stay within these, for texts of so many bytes and the block behind them. All do where there are none.
class CounterRoom {
public:
    CounterRoom(const Suite &suite, uint64_t bytes);
    bool hold(const cst_job *jobs, size_t n) const {
        for (size_t i = 0; blocks_ && i < n; i++)
            if (!holds(jobs[i].iv)) return false;
        return true;
    }
    bool holds(const void *counter) const { return !blocks_ || word_.left(counter) > blocks_; }

private:
    const CounterWord word_;
    uint64_t blocks_ = 0;
};
// So many blocks farther: counters, as the suite's construction counts (SP 800-38A, B.1; SP 800-38D, 6.2; RFC
// 8439, 2.4; ChaCha20's carry goes into the next word).
void count_on(Construction construction, uint8_t *counter, uint64_t blocks);

}  // namespace cst
