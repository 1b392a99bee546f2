// Hashes whose kernels read frames (suite/frame.hpp), and HMAC with them.
#pragma once

#include <cstddef>

#include "lineup.hpp"
#include "run.hpp"

namespace cst {

// Jobs of one suite, at most MOST_MESSAGES. False: one did not authenticate.
bool run_framed(Memory *memory, cst_job *const *jobs, size_t n);
// Parts of such suites, at most MOST_MESSAGES.
void run_framed_parts(Memory *memory, const cst_part *const *parts, size_t n);
// What run_framed takes for so many messages of so many bytes.
Ranking rank_framed(const Suite &suite, size_t messages, uint64_t bytes);

// A message of which some is hashed, as HashState is; sponges add what is not a whole block to the chaining value, the
// others keep it behind that.
struct FramedState {
    const cst_key *key;
    uint64_t bytes;
    uint8_t chain[MOST_FRAMED_CHAIN];
};
static_assert(sizeof(FramedState) <= CST_STATE_BYTES);
static_assert(offsetof(FramedState, key) == offsetof(HashState, key) &&
              offsetof(FramedState, bytes) == offsetof(HashState, bytes));

}  // namespace cst
