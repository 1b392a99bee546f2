// Runs hashes whose kernels read padded blocks (frames, suite/frame.hpp), and HMAC with them.
#pragma once

#include <cstddef>

#include "../plan/lineup.hpp"
#include "../executors/message.hpp"
#include "../suite/hash_state.hpp"

namespace cst {

// Runs jobs of one suite, at most MOST_MESSAGES. Returns false if one did not authenticate.
bool run_framed(Memory *memory, cst_job *const *jobs, size_t n);
// Runs parts of such suites, at most MOST_MESSAGES.
void run_framed_parts(Memory *memory, const cst_part *const *parts, size_t n);
// Returns the kernel selection of run_framed for `messages` messages of `bytes` bytes each.
Ranking rank_framed(const Suite &suite, size_t messages, uint64_t bytes);

// A partly hashed message, as HashState is. Sponges add bytes that do not fill a block to the chaining value; the
// others keep them after it.
struct FramedState {
    const cst_key *key;
    uint64_t bytes;
    uint8_t chain[MOST_FRAMED_CHAIN];
};
static_assert(sizeof(FramedState) <= CST_STATE_BYTES);
static_assert(offsetof(FramedState, key) == offsetof(HashState, key) &&
              offsetof(FramedState, bytes) == offsetof(HashState, bytes));

}  // namespace cst
