// Multi-hash SHA-1 and SHA-256, isa-l_crypto's mh_sha1 and mh_sha256: the hash of one message's segments in lanes; and
// mh_sha1_murmur3_x64_128, with MurmurHash3 beside it.
#pragma once

#include "../plan/lineup.hpp"
#include "../executors/message.hpp"
#include "../suite/hash_state.hpp"

namespace cst {

// Runs jobs of one suite. Returns false if one did not authenticate.
bool run_multi_hashes(Memory *memory, cst_job *const *jobs, size_t n);
// Runs the next part of a message.
void run_multi_hash_part(Memory *memory, const cst_part &part);
// Selects the kernels for `messages` messages of `bytes` bytes each.
void plan_multi_hashes(const Suite &suite, size_t messages, uint64_t bytes, Plan *plan);

// A partly hashed message, as HashState is.
struct MultiHashState {
    static constexpr size_t BLOCK = 64 * SEGMENTS, MOST_CHAINS = 8 * 4 * SEGMENTS;

    const cst_key *key;
    uint64_t bytes;  // of the message
    uint8_t chains[MOST_CHAINS];  // of the segments: their first words, then their second words, and so on
    uint8_t beside[16];  // chaining value of the hash beside them
    uint8_t block[BLOCK];  // bytes that do not fill one
};
static_assert(sizeof(MultiHashState) <= CST_STATE_BYTES);
static_assert(offsetof(MultiHashState, key) == offsetof(HashState, key) &&
              offsetof(MultiHashState, bytes) == offsetof(HashState, bytes));

}  // namespace cst
