// XTS (IEEE 1619): the first tweak of every job, then whole blocks, then the last, incomplete block by ciphertext stealing.

#include <cstring>

#include "../suite/secret.hpp"
#include "work.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16;

// The bytes behind the last whole block.
size_t rest_of(const Work &work) { return work.job->in_len % BLOCK; }

// IEEE 1619, 5.3.1: T = E(K2, i). Under one key the tweak values of all jobs are one text; under several a kernel would spend its time on copies of
// round keys, while these blocks do not wait for one another.
void make_tweaks(const Batch &batch, uint8_t (*tweaks)[BLOCK]) {
    const uint32_t rounds = batch.suite->tweak->record.rounds;
    const bool together = batch.one_key && batch.n > 1;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (together) memcpy(tweaks[i], work.job->iv, BLOCK);
        else aes_encrypt(work.key->tweak, rounds, static_cast<const uint8_t *>(work.job->iv), tweaks[i]);
        work.item.cipher_from = tweaks[i];
    }
    if (!together) return;
    Phase phase;
    phase.suite = batch.suite;
    phase.family = &batch.suite->tweaks;
    phase.one_key = true;
    Item item, *items = &item;
    item.in = item.out = tweaks[0];
    item.round_keys = batch.works[0].key->tweak[0];
    item.bytes = batch.n * BLOCK;
    run_phase(phase, &batch.arena->lanes, &items, batch.arena->order, 1);
}

// The tweak after t: times x.
void next_tweak(const uint8_t *t, uint8_t *next) {
    uint64_t low, high;
    memcpy(&low, t, 8);
    memcpy(&high, t + 8, 8);
    const uint64_t carry = high >> 63;
    high = high << 1 | low >> 63;
    low = low << 1 ^ ((0 - carry) & 0x87);
    memcpy(next, &low, 8);
    memcpy(next + 8, &high, 8);
}

// Where block m - 1, the last whole one, begins: it and the rest change places.
uint64_t last_whole(const Work &work) { return (work.job->in_len & ~uint64_t(BLOCK - 1)) - BLOCK; }

// Runs the `last` block of every work that has a rest. Returns how many there are, in arena->items.
size_t run_last_blocks(const Batch &batch, bool decrypt) {
    size_t n = 0;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (!rest_of(work)) continue;
        work.item.in = work.item.out = work.last;
        work.item.bytes = BLOCK;
        batch.arena->items[n++] = &work.item;
    }
    run_items(batch, batch.suite->ciphers(decrypt), n);
    return n;
}

// IEEE 1619, 5.3.2 and 5.4.2: `last` is what became of a whole block. Its first bytes are the end of the output; the rest of the input takes their
// place, and the block goes through the cipher again, to stand before them.
void steal(const Batch &batch, bool decrypt) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const size_t rest = rest_of(work);
        if (!rest) continue;
        uint8_t *text = work.last + BLOCK;
        const uint64_t at = last_whole(work) + BLOCK;
        work.in.read(at, text, rest);
        work.out.write(at, work.last, rest);
        memcpy(work.last, text, rest);
    }
    const size_t n = run_last_blocks(batch, decrypt);
    for (size_t i = 0; i < n; i++) {
        Work &work = *static_cast<Work *>(batch.arena->items[i]->owner);
        work.out.write(last_whole(work), work.last, BLOCK);
    }
}

// Everything but the rests; an opened job with a rest keeps its last whole block for later too.
void run_bulk(const Batch &batch, uint8_t (*tweaks)[BLOCK], bool decrypt) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        cst_job &job = *work.job;
        work.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        work.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
        work.cipher_end = last_whole(work) + (decrypt && rest_of(work) ? 0 : BLOCK);
        text_done(&job);
    }
    make_tweaks(batch, tweaks);
    run_cipher(batch, decrypt);
}

}  // namespace

void seal_xts(const Batch &batch) {
    alignas(64) uint8_t tweaks[MOST_WORKS][BLOCK];
    run_bulk(batch, tweaks, false);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (rest_of(work)) work.out.read(last_whole(work), work.last, BLOCK);
    }
    steal(batch, false);
    wipe(tweaks, batch.n * BLOCK);
}

// The last whole block has the last tweak, the block that the rest is made of the one before.
void open_xts(const Batch &batch) {
    alignas(64) uint8_t tweaks[MOST_WORKS][BLOCK];
    run_bulk(batch, tweaks, true);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (!rest_of(work)) continue;
        work.in.read(last_whole(work), work.last, BLOCK);
        uint8_t *next = work.last + 2 * BLOCK;
        if (work.item.cipher_from != tweaks[i]) memcpy(tweaks[i], work.item.cipher_from, BLOCK);
        next_tweak(tweaks[i], next);
        work.item.cipher_from = next;
    }
    run_last_blocks(batch, true);
    for (size_t i = 0; i < batch.n; i++) batch.works[i].item.cipher_from = tweaks[i];
    steal(batch, true);
    wipe(tweaks, batch.n * BLOCK);
}

}  // namespace cst
