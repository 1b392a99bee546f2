// Runs hashes of a tree: chunks of a message, and pairs of chaining values, are nodes that kernels hash in lanes.
#pragma once

#include <cstddef>

#include "../plan/lineup.hpp"
#include "../executors/message.hpp"
#include "../suite/hash_state.hpp"

namespace cst {

constexpr size_t TREE_CHUNK = 1024, TREE_CHAIN = 32;  // BLAKE3, 2.1
static_assert(TREE_CHAIN == CST_TREE_CHAIN_BYTES);

// Runs jobs of one suite, at most MOST_MESSAGES. Returns false if one did not authenticate.
bool run_trees(Memory *memory, cst_job *const *jobs, size_t n);
// Runs parts of such suites, one after the other: each of them fills lanes by itself if it is long.
void run_tree_parts(Memory *memory, const cst_part *const *parts, size_t n);
// Returns the kernel selection for the chunks of `messages` messages of `bytes` bytes each.
Ranking rank_trees(const Suite &suite, size_t messages, uint64_t bytes);

// Computes the chaining value of a part of a long message: cst_tree_part. Returns CST_OK or CST_ERR_MEMORY.
int run_tree_part(const Key &key, uint64_t at, const void *in, uint64_t bytes, uint8_t *chain);
// Computes the message's output from those of its parts: cst_tree_root.
int run_tree_root(const Key &key, const uint8_t *chains, size_t n, uint8_t *tag, size_t tag_len);

// A partly hashed message, as HashState is.
struct TreeState {
    static constexpr size_t DEPTH = 54;  // 2^54 chunks are 2^64 bytes

    const cst_key *key;
    uint64_t bytes;  // of the message
    uint64_t depth;  // of the stack
    // The chunk that may be the last is kept open: the chaining value before its last block, and this block.
    uint8_t chain[TREE_CHAIN], block[64];
    uint8_t stack[(DEPTH + 1) * TREE_CHAIN];  // complete subtrees

    bool is_sound() const;
};
static_assert(sizeof(TreeState) <= CST_STATE_BYTES);
static_assert(offsetof(TreeState, key) == offsetof(HashState, key) &&
              offsetof(TreeState, bytes) == offsetof(HashState, bytes));

}  // namespace cst
