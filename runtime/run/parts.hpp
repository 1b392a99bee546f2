// Digests and HMACs of messages that come in parts.
#pragma once

#include "message.hpp"

namespace cst {

// A message of which some is hashed; in the caller's memory. All zeros before the first part.
struct HashState {
    const cst_key *key;  // NULL: before the first part
    uint64_t bytes;  // hashed, or waiting in `block`
    uint8_t chain[64];
    uint8_t block[MOST_BLOCK];  // what is not a whole block yet
};
static_assert(sizeof(HashState) <= CST_STATE_BYTES);

inline HashState *state_of(const cst_part &part) { return static_cast<HashState *>(part.state); }

// Parts that have been checked, of any suites. CST_OK, or CST_ERR_MEMORY: nothing has happened.
int run_parts(const Engine &engine, const cst_part *parts, size_t n);

}  // namespace cst
