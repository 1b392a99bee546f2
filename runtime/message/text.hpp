// Runs the cipher of messages.
#pragma once

#include "../plan/lineup.hpp"
#include "../executors/message.hpp"

namespace cst {

// Encrypts each text, from `ciphered` up to `text_stop`. In a counter mode, lengths are arbitrary. A list of several
// messages is reordered.
void run_texts(const Class &c, Message **list, size_t n);
// Runs the cipher to the end of the text, for every message of the class that has not failed.
void run_all_texts(const Class &c);

// Returns the kernel selection for `bytes` bytes of each text.
Ranking rank_texts(const Class &c, uint64_t bytes);
// Whether the suite's cipher is a counter mode or ChaCha20.
bool counts(const Suite &suite);
// Whether a partial iteration at the end of a text may be padded in the bounce buffer, because blocks do not depend on
// one another, or nothing follows.
bool rounds_up(const Suite &suite, bool decrypts);
// The 32 bits of a counter in which kernels count.
class CounterWord {
public:
    explicit CounterWord(Construction construction);
    // Whether a carry goes beyond these 32 bits at all; texts may be long enough for that.
    bool carries() const { return carries_; }
    // Returns the number of blocks until that carry.
    uint64_t left(const void *counter) const { return (uint64_t(1) << 32) - number(counter); }
    // Returns the number that these bits are.
    uint32_t number(const void *counter) const {
        uint32_t word;
        memcpy(&word, static_cast<const uint8_t *>(counter) + at_, sizeof(word));
        return big_endian_ ? __builtin_bswap32(word) : word;
    }

private:
    size_t at_ = 12;
    bool big_endian_ = true, carries_ = true;
};

// Tells whether counters stay within these 32 bits, for a text and the block after it. They always do if a suite has no
// counters.
class CounterRoom {
public:
    explicit CounterRoom(const Suite &suite);
    bool holds(const void *counter, uint64_t bytes) const { return !limited_ || !beyond(counter, bytes); }
    bool holds(const cst_job &job) const { return holds(job.iv, job.in_len); }
    bool hold(const cst_job *jobs, size_t n) const {
        uint64_t any = 0;
        for (size_t i = 0; limited_ && i < n; i++) any |= beyond(jobs[i].iv, jobs[i].in_len);
        return !any;
    }

private:
    // Returns 0 if the counter stays within these bits.
    uint64_t beyond(const void *counter, uint64_t bytes) const {
        const uint64_t blocks = (bytes >> block_log2_) + ((bytes & ((uint64_t(1) << block_log2_) - 1)) != 0);
        return (word_.number(counter) + blocks) >> 32;
    }

    const CounterWord word_;
    const bool limited_;
    unsigned block_log2_ = 0;
};
// Advances a counter by `blocks`, as the suite's construction counts (SP 800-38A, B.1; SP 800-38D, 6.2; RFC 8439, 2.4;
// ChaCha20's carry goes into the next word).
void count_on(Construction construction, uint8_t *counter, uint64_t blocks);

}  // namespace cst
