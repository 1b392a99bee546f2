// Functions that the API calls; their arguments have been checked. Those without a file of their own are in burst.cpp.
#pragma once

#include <string>

#include "message.hpp"

namespace cst {

// Runs the checked jobs whose status is JOB_WAITING. Returns CST_OK, or CST_ERR_AUTH if a job did not authenticate.
// Leaves the memory wiped.
int run_jobs(Memory *memory, cst_job *jobs, size_t n);
// Does the same with memory of its own; returns CST_ERR_MEMORY if there is none, and nothing was written. same_shape:
// the caller knows that all jobs are to be run and have the suite, direction and lengths of the first.
int run_jobs(const Engine &engine, cst_job *jobs, size_t n, bool same_shape);

// Runs jobs of one suite and direction, the longest (by blocks) first, at most memory->room(). Returns false if a job
// did not authenticate. Does not wipe the memory. readable: as for run_lists.
bool run_class(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable = nullptr);

// Sealing, writes the digest of a job, or its first tag_len bytes; opening, compares them: false on a mismatch.
bool settle_digest(cst_job *job, const uint8_t *digest);

// Rejects a forgery: sets CST_ERR_AUTH and zeroes the output.
void refuse_unopened(cst_job *job);

// Columns (column.cpp): many items, contiguous in memory, under one key.

// Item i is data[offset(i) .. offset(i + 1)); its digest or MAC goes to tags + i * stride.
struct Column {
    const Key *key;  // its suite has no cipher
    const uint8_t *data, *end;  // bytes between these may be read
    const void *offsets;  // size + 1 offsets, none less than the one before
    bool wide;  // offsets have 64 bits, else 32
    size_t size;
    uint8_t *tags;
    size_t tag_len, stride;

    uint64_t offset(size_t i) const {
        return wide ? static_cast<const uint64_t *>(offsets)[i] : static_cast<const uint32_t *>(offsets)[i];
    }
};

// Runs a column. Returns CST_OK, or CST_ERR_MEMORY: nothing was written. The memory that it takes does not depend on
// the column.
int run_column(const Column &column);

// Digests and HMACs of messages that come in parts (parts.cpp).

// A partly hashed message, in the caller's memory. All zeros before the first part.
struct HashState {
    const cst_key *key;  // NULL: before the first part
    uint64_t bytes;  // bytes hashed, or waiting in `block`
    uint8_t chain[64];
    uint8_t block[MOST_BLOCK];  // bytes that do not fill a block yet
};
static_assert(2 * sizeof(HashState) <= CST_STATE_BYTES, "two digests have two");

inline HashState *state_of(const cst_part &part) { return static_cast<HashState *>(part.state); }

// Returns the key that the state of such a part names: of two digests, whose states follow one another, the first's.
inline const cst_key *key_in_state(const cst_part &part) {
    const Key &key = *reinterpret_cast<const Key *>(part.key);
    return key.suite->halves[0] ? reinterpret_cast<const cst_key *>(&key.half(0)) : part.key;
}

// Runs parts of digests and HMACs whose kernels read blocks where they lie, and whose states have begun; at most
// MOST_MESSAGES.
void run_plain_parts(Memory *memory, const cst_part *const *parts, size_t n);
// Runs checked parts, of any suites. Returns CST_OK, or CST_ERR_MEMORY: nothing was written.
int run_parts(const Engine &engine, const cst_part *parts, size_t n);

// Keys, made from a caller's bytes (expand.cpp).

// Makes a key in `memory`, suite.key_layout.bytes bytes, aligned as a Key is. The lengths have been checked. Writes
// nothing on an error: CST_ERR_ARGUMENT (an XTS key whose halves are equal), CST_ERR_MEMORY, CST_ERR_JIT,
// CST_ERR_UNSUPPORTED. Takes no memory of its own, and a time that depends on lengths alone.
int make_key(const Suite &suite, const uint8_t *key, size_t key_len, const uint8_t *mac_key, size_t mac_key_len,
             void *memory);

// Makes a key in memory of its own.
int new_key(const Suite &suite, const uint8_t *key, size_t key_len, const uint8_t *mac_key, size_t mac_key_len,
            KeyPointer *out);

// Copies a text into a field of a C struct and truncates it to the field's size.
template <size_t size>
void put_text(char (&field)[size], const std::string &text) {
    size_t n = text.size() < size - 1 ? text.size() : size - 1;
    memcpy(field, text.data(), n);
    field[n] = 0;
}

// Describes in words which kernel a burst would take (explain.cpp).
int explain(const Suite &suite, int direction, size_t jobs, size_t bytes, bool one_key, cst_choice *choice);

}  // namespace cst
