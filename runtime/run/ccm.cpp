// CCM (SP 800-38C): CBC-MAC of B0, the AAD and the plaintext; counter mode for the plaintext; the MAC is enciphered by counter block 0.

#include <algorithm>
#include <cstring>

#include "../suite/secret.hpp"
#include "work.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16, ROOM = JOIN_BLOCKS * MOST_BLOCK;

void put_big_endian(uint64_t value, uint8_t *to, size_t bytes) {
    for (size_t i = bytes; i-- > 0; value >>= 8) to[i] = uint8_t(value);
}

// A.2.1, A.3: flags, nonce, and a number in what is left.
void put_block(const cst_job &job, uint8_t flags, uint64_t number, uint8_t *to) {
    const size_t q = 15 - job.iv_len;
    to[0] = uint8_t(flags | (q - 1));
    memcpy(to + 1, job.iv, job.iv_len);
    memset(to + 1 + job.iv_len, 0, q);
    put_big_endian(number, to + BLOCK - std::min<size_t>(q, 8), std::min<size_t>(q, 8));
}

// A.2.2: how many bytes of AAD follow. Returns its size.
size_t put_aad_length(uint64_t bytes, uint8_t *to) {
    if (!bytes) return 0;
    if (bytes < 0xff00) {
        put_big_endian(bytes, to, 2);
        return 2;
    }
    to[0] = 0xff;
    const size_t size = bytes >> 32 ? 8 : 4;
    to[1] = size == 8 ? 0xff : 0xfe;
    put_big_endian(bytes, to + 2, size);
    return 2 + size;
}

// B0 and the beginning of the AAD in `blocks`; of a longer AAD then what lies in the caller's memory, and its end, filled up, in `last`.
void make_head(Work *work) {
    const cst_job &job = *work->job;
    const uint8_t *aad = static_cast<const uint8_t *>(job.aad);
    put_block(job, uint8_t((job.aad_len ? 0x40 : 0) | (job.tag_len - 2) / 2 << 3), job.in_len, work->blocks);
    size_t used = BLOCK + put_aad_length(job.aad_len, work->blocks + BLOCK);
    const size_t first = std::min(job.aad_len, ROOM - used);
    if (first) copy_few(work->blocks + used, aad, first);
    used += first;
    const size_t whole = (used + BLOCK - 1) & ~(BLOCK - 1);
    memset(work->blocks + used, 0, whole - used);
    work->use_blocks(whole);
    begin_cbc_mac(work);
    work->item.hash_in = work->blocks;
    work->item.bytes = whole;
    const size_t left = job.aad_len - first, rest = left % BLOCK;
    size_t n = 0;
    if (left != rest) work->item.then[n++] = {aad + first, left - rest};
    if (!rest) return;
    memset(work->last, 0, BLOCK);
    memcpy(work->last, aad + first + left - rest, rest);
    work->item.then[n] = {work->last, BLOCK};
}

void hash_heads(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        cst_job &job = *work.job;
        work.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        work.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
        job.out_len = job.in_len;
        job.status = CST_OK;
        make_head(&work);
        batch.arena->items[i] = &work.item;
    }
    Phase phase;
    phase.suite = batch.suite;
    phase.family = &batch.suite->hashes;
    run_phase(phase, &batch.arena->lanes, batch.arena->items, batch.arena->order, batch.n);
}

// The middle of texts that are long enough, stitched. Sealing, the MAC reads what the cipher may overwrite, and is ahead; opening, what the cipher wrote
// (stitch.cpp). The MAC stops where its last call begins.
void run_middles(const Batch &batch, bool open) {
    Middle middle = {&batch.suite->pairs, open, !open, false};
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        put_block(*work.job, 0, 1, work.chain);
        work.item.cipher_from = work.chain;
        work.body = open ? &work.out : &work.in;
        work.bulk = work.job->in_len & ~(COUNTER_STRIDE - 1);
        work.body_bytes = cbc_mac_end(work.job->in_len);
    }
    choose_middle(batch, &middle);
    if (!middle.choice) return;
    for (size_t i = 0; i < batch.n; i++) batch.works[i].hash_end = batch.works[i].paired ? hash_start(batch.works[i], middle) : 0;
    hash_bodies(batch);
    run_middle(batch, middle);
}

void run_text(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) batch.works[i].cipher_end = batch.works[i].bulk;
    run_cipher(batch, false);
    run_rests(batch, 0);
}

// What is left of the MAC of the plaintext, and the tag of it in hash_chain.
void make_tags(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) batch.works[i].body_bytes = batch.works[i].job->in_len;
    run_cbc_mac(batch, zero_filled_end);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        put_block(*work.job, 0, 0, work.last);
        aes_encrypt(work.key->encrypt, batch.suite->encrypt->record.rounds, work.last, work.last);
        for (size_t j = 0; j < BLOCK; j++) work.hash_chain[j] ^= work.last[j];
    }
}

}  // namespace

void seal_ccm(const Batch &batch) {
    hash_heads(batch);
    run_middles(batch, false);
    make_tags(batch);
    run_text(batch);
    for (size_t i = 0; i < batch.n; i++) memcpy(batch.works[i].job->tag, batch.works[i].hash_chain, batch.works[i].job->tag_len);
}

// The MAC is over the plaintext, so it is made first, and wiped if the tag is wrong.
void open_ccm(const Batch &batch) {
    hash_heads(batch);
    run_middles(batch, true);
    run_text(batch);
    make_tags(batch);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (!same_bytes(work.hash_chain, static_cast<const uint8_t *>(work.job->tag), work.job->tag_len)) fail(&work);
    }
}

}  // namespace cst
