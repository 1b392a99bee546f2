// Runs sponges that hash a long message in leaves, and a node over their digests: leaves of all messages, side by side
// in lanes.
#pragma once

#include <cstddef>

#include "framed.hpp"

namespace cst {

// Runs jobs of one suite, at most memory->room(). Returns false if one did not authenticate.
bool run_leaves(Memory *memory, cst_job *const *jobs, size_t n);
// Runs parts of such suites, at most MOST_MESSAGES. Changes their order.
void run_leaf_parts(Memory *memory, const cst_part **parts, size_t n);
// Returns the kernel selection for the leaves of `messages` messages of `bytes` bytes each.
Ranking rank_leaves(const Suite &suite, size_t messages, uint64_t bytes);

// A partly hashed message, as HashState is.
struct LeavesState {
    const cst_key *key;
    uint64_t bytes;  // of the message
    FramedState node;  // has the first leaf, and digests of others
    FramedState leaf;  // the leaf in which the message stops, if it is another

    // A leaf's digest is shorter than the leaf.
    bool is_sound() const { return node.bytes <= bytes + MOST_LEAF_MARK && leaf.bytes <= bytes; }
};
static_assert(sizeof(LeavesState) <= CST_STATE_BYTES);
static_assert(offsetof(LeavesState, key) == offsetof(HashState, key) &&
              offsetof(LeavesState, bytes) == offsetof(HashState, bytes));

}  // namespace cst
