// The state of a digest or MAC whose message comes in parts.
#pragma once

#include "key.hpp"
#include "padding.hpp"

namespace cst {

// A partly hashed message, in the caller's memory. All zeros before the first part.
struct HashState {
    const cst_key *key;  // NULL: before the first part
    uint64_t bytes;  // bytes hashed, or waiting in `block`
    uint8_t chain[64];
    uint8_t block[MOST_BLOCK];  // bytes that do not fill a block yet
};
static_assert(2 * sizeof(HashState) <= CST_STATE_BYTES, "two digests have two");

inline const Suite *suite_of(const cst_part &part) { return reinterpret_cast<const Key *>(part.key)->suite; }
inline HashState *state_of(const cst_part &part) { return static_cast<HashState *>(part.state); }

// Returns the key that the state of such a part names: of two digests, whose states follow one another, the first's.
inline const cst_key *key_in_state(const cst_part &part) {
    const Key &key = *reinterpret_cast<const Key *>(part.key);
    return key.suite->halves[0] ? reinterpret_cast<const cst_key *>(&key.half(0)) : part.key;
}

}  // namespace cst
