// What the API asks of this folder. Everything has been checked. What stands in no file of its own is in burst.cpp.
#pragma once

#include <string>

#include "message.hpp"

namespace cst {

// Runs the jobs whose status is JOB_WAITING; they have been checked. CST_OK, or CST_ERR_AUTH when one did not
// authenticate. Leaves the memory wiped.
int run_jobs(Memory *memory, cst_job *jobs, size_t n);
// The same with memory of its own: CST_ERR_MEMORY, and nothing has happened. alike: it is known
// that all are to be run, are of one suite and direction, and as long as the first.
int run_jobs(const Engine &engine, cst_job *jobs, size_t n, bool alike);

// Jobs of one suite and direction, the longest (by blocks) first, at most memory->room(). False: one did not
// authenticate. Leaves the memory as it is. readable: as run_lists.
bool run_class(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable = nullptr);

// Gives the digest of a job, or its first tag_len bytes, or compares them: false, they are others.
bool settle_digest(cst_job *job, const uint8_t *digest);

// What becomes of a forgery: CST_ERR_AUTH, and a zeroed output.
void refuse_unopened(cst_job *job);

// Columns (column.cpp): many items that lie one behind the other, under one key.

// Item i is data[offset(i) .. offset(i + 1)); its digest or MAC goes to tags + i * stride.
struct Column {
    const Key *key;  // of a suite without a cipher
    const uint8_t *data, *end;  // what lies between may be read
    const void *offsets;  // size + 1, that do not fall
    bool wide;  // of 64 bits, else of 32
    size_t size;
    uint8_t *tags;
    size_t tag_len, stride;

    uint64_t offset(size_t i) const {
        return wide ? static_cast<const uint64_t *>(offsets)[i] : static_cast<const uint32_t *>(offsets)[i];
    }
};

// CST_OK, or CST_ERR_MEMORY: nothing has happened. What it takes of memory does not depend on the column.
int run_column(const Column &column);

// Digests and HMACs of messages that come in parts (parts.cpp).

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

// Keys, made from a caller's bytes (expand.cpp).

// The lengths have been checked. In memory of suite.key_layout.bytes bytes, aligned as a Key is, none of which is
// written on an error: CST_ERR_ARGUMENT (an XTS key whose halves are equal), CST_ERR_MEMORY, CST_ERR_JIT,
// CST_ERR_UNSUPPORTED. Without memory of its own, and in a time that depends on lengths alone.
int make_key(const Suite &suite, const uint8_t *key, size_t key_len, const uint8_t *mac_key, size_t mac_key_len,
             void *memory);

// The same in memory of its own.
int new_key(const Suite &suite, const uint8_t *key, size_t key_len, const uint8_t *mac_key, size_t mac_key_len,
            KeyPointer *out);

// Copies a text into a field of a C struct, cut where the field ends.
template <size_t size>
void put_text(char (&field)[size], const std::string &text) {
    size_t n = text.size() < size - 1 ? text.size() : size - 1;
    memcpy(field, text.data(), n);
    field[n] = 0;
}

// Which kernel a burst would take, in words (explain.cpp).
int explain(const Suite &suite, int direction, size_t jobs, size_t bytes, bool one_key, cst_choice *choice);

}  // namespace cst
