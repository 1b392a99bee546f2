// The jobs of one suite and one direction that are worked on together, and the memory for it.
#pragma once

#include "../suite/key.hpp"
#include "../suite/padding.hpp"
#include "cryptostitch/cryptostitch.h"
#include "lanes.hpp"

namespace cst {

constexpr size_t MOST_WORKS = 128;    // jobs in hand at once: bounds the memory of a burst
constexpr size_t MOST_BLOCK = 128;    // of any hash
constexpr size_t JOIN_BLOCKS = 6;     // see Work::blocks

// One job under way.
struct Work {
    cst_job *job = nullptr;
    const Key *key = nullptr;

    // Cipher: `bulk` bytes go from job->in to job->out; a padded last block, if any, follows from `last`.
    uint64_t bulk = 0, ciphered = 0;
    uint8_t chain[16];
    uint8_t last[16];

    // Hash: AAD and IV (the head), then `body`, then the trailer.
    const uint8_t *body = nullptr;
    uint64_t body_bytes = 0, hashed = 0;  // of the body
    uint64_t ready = 0;                   // of the body: there to be read already (the ciphertext of a job that is being sealed grows)
    size_t head = 0;                      // bytes of the head that are in `blocks`, not yet hashed
    uint32_t boundary = 0;                // bytes of the body up to the first block boundary behind the head
    alignas(8) uint8_t hash_chain[64];

    bool whole = false;     // the message fits `blocks`
    bool paired = false;    // the pair kernel does the middle
    bool failed = false;    // did not authenticate

    // Where head and body, or body and padding, meet: less than a block of AAD, the IV (16), less than a block of the body and its
    // padded last block (16), the trailer (8), 0x80 and the length (at most 16): at most three blocks.
    // A message that fits in altogether is put together here instead: one run of the hash kernel rather than one each for head, body and end.
    alignas(16) uint8_t blocks[JOIN_BLOCKS * MOST_BLOCK + PAD_SLACK];  // last: what of it was used is wiped
};

// Everything that a burst needs, allocated before anything is written.
class Arena {
public:
    ~Arena();
    // Room for min(n, MOST_WORKS) jobs at once. CST_ERR_MEMORY.
    int allocate(const Engine &engine, size_t n);
    size_t works_room() const { return room_; }
    // Wipes what was used.
    void clean();

    LaneMemory lanes;
    Work *works = nullptr;
    size_t works_used = 0;
    size_t blocks_used = 0;  // most bytes of any work's `blocks`
    Item *items = nullptr;
    Item **order = nullptr;

private:
    void *base_ = nullptr;
    size_t room_ = 0;
};

// One chunk of jobs.
struct Batch {
    const Suite *suite;
    Arena *arena;
    Work *works;
    size_t n;
    bool one_key;
};

// ---- message.cpp: the hash side --------------------------------------------------------------------------------------

// Whether a message is put together in `blocks` altogether; no pair kernel runs on it then.
bool fits_whole(const Suite &suite, uint64_t head, uint64_t body);
// Sets `whole` of each work, whose `body_bytes` is known.
void find_wholes(const Batch &batch);
// AAD and IV, and the body's first bytes up to the next block boundary where the body is that long already.
void hash_heads(const Batch &batch);
// Sets `boundary` of each work.
void find_boundaries(const Batch &batch);
// Whole blocks of the body; then its end with trailer and padding; then the outer hash. The result is the hash_chain of each work.
void hash_bodies(const Batch &batch);
void hash_finish(const Batch &batch);
// The digest in hash_chain.
void read_tag(const Work &work, uint8_t *digest);

// ---- seal.cpp, open.cpp ----------------------------------------------------------------------------------------------

void seal_batch(const Batch &batch);
void open_batch(const Batch &batch);
// Runs the suite's cipher over whole blocks: each work from `ciphered` up to its `bulk`, or up to `until(work)`.
template <typename Until>
void run_cipher(const Batch &batch, const Family &family, bool decrypt, Until until) {
    Item *items = batch.arena->items;
    size_t n = 0;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const uint64_t end = until(work);
        if (work.failed || end <= work.ciphered) continue;
        Item &item = items[n++];  // built in place: a copy would wait for its own stores
        item = Item();
        item.in = static_cast<const uint8_t *>(work.job->in) + work.ciphered;
        item.out = static_cast<uint8_t *>(work.job->out) + work.ciphered;
        item.cipher_chain = work.chain;
        item.round_keys = decrypt ? work.key->decrypt[0] : work.key->encrypt[0];
        item.bytes = end - work.ciphered;
        item.owner = &work;
    }
    if (!n) return;
    Phase phase;
    phase.suite = batch.suite;
    phase.family = &family;
    phase.one_key = batch.one_key;
    run_phase(phase, &batch.arena->lanes, items, batch.arena->order, n);
    for (size_t i = 0; i < n; i++) static_cast<Work *>(items[i].owner)->ciphered += items[i].done;
}

}  // namespace cst
