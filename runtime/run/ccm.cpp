// CCM (SP 800-38C): CBC-MAC of B0, the AAD and the plaintext; counter mode for the plaintext; the MAC is enciphered by counter block 0.

#include <algorithm>
#include <cstring>

#include "../suite/secret.hpp"
#include "ccm_blocks.hpp"
#include "work.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16, ROOM = JOIN_BLOCKS * MOST_BLOCK;
constexpr size_t STRIDE = 64;      // what most kernels do in a step
constexpr size_t TOGETHER = 384;   // a message of so many bytes is copied rather than hashed in pieces
static_assert(ROOM + 2 * STRIDE <= BLOCKS_BYTES, "head, the beginning of the text and its end fit");

void put_big_endian(uint64_t value, uint8_t *to, size_t bytes) {
    for (size_t i = bytes; i-- > 0; value >>= 8) to[i] = uint8_t(value);
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

// The text, filled up with zeros, behind `at` bytes of the message in `blocks`: all of it there, or what is needed for whole strides, then where it lies, and its end.
void add_text(Work *work, size_t at) {
    const uint8_t *text = work->body->at(0);
    const size_t bytes = work->body_bytes;
    const auto put = [&](size_t to, const uint8_t *from, size_t n) {
        put_words(work->blocks + ((to + n) & ~(BLOCK - 1)), 0, 0);
        copy_few(work->blocks + to, from, n);
        return (to + n + BLOCK - 1) & ~(BLOCK - 1);
    };
    Item &item = work->item;
    work->hashed = bytes;
    work->ended = true;
    if (at + bytes <= TOGETHER || bytes < STRIDE) {
        item.bytes = put(at, text, bytes);
        return work->use_blocks(item.bytes);
    }
    const size_t begin = -at & (STRIDE - 1), middle = (bytes - begin) & ~(STRIDE - 1), rest = bytes - begin - middle;
    Piece *next = item.then;
    item.bytes = put(at, text, begin);
    if (middle) *next++ = {text + begin, middle};
    const size_t end = put(item.bytes, text + begin + middle, rest);
    if (rest) *next = {work->blocks + item.bytes, end - item.bytes};
    work->use_blocks(end);
}

// B0 and the beginning of the AAD in `blocks`; of a longer AAD then what lies in the caller's memory, and its end, filled up, in `last`. `with_text`: behind a
// short AAD the text too, when it lies in one piece, so that all of the message is one run of the hash.
void make_head(Work *work, bool with_text) {
    const cst_job &job = *work->job;
    const uint8_t *aad = static_cast<const uint8_t *>(job.aad);
    put_ccm_first(job, work->blocks);
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
    if (with_text && !left && !work->body->scattered()) return add_text(work, whole);
    size_t n = 0;
    if (left != rest) work->item.then[n++] = {aad + first, left - rest};
    if (!rest) return;
    memset(work->last, 0, BLOCK);
    memcpy(work->last, aad + first + left - rest, rest);
    work->item.then[n] = {work->last, BLOCK};
}

void hash_heads(const Batch &batch, bool with_text) {
    for (size_t i = 0; i < batch.n; i++) {
        make_head(&batch.works[i], with_text);
        batch.arena->items[i] = &batch.works[i].item;
    }
    run_items(batch, batch.suite->hashes, batch.n);
}

// Sets what the works know of their jobs, and chooses who does the middle of texts that are long enough, stitched. Sealing, the MAC reads what the cipher may
// overwrite, and is ahead; opening, what the cipher wrote (stitch.cpp). The MAC stops where its last call begins.
Middle begin(const Batch &batch, bool open) {
    Middle middle = {&batch.suite->pairs, open, !open, false};
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        cst_job &job = *work.job;
        work.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        work.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
        text_done(&job);
        put_ccm_block(job, 0, 1, work.chain);
        work.item.cipher_from = work.chain;
        work.body = open ? &work.out : &work.in;
        work.bulk = job.in_len & ~(COUNTER_STRIDE - 1);
        work.body_bytes = cbc_mac_end(job.in_len);
    }
    choose_middle(batch, &middle);
    return middle;
}

void run_middles(const Batch &batch, const Middle &middle) {
    for (size_t i = 0; i < batch.n; i++) batch.works[i].hash_end = batch.works[i].paired ? hash_start(batch.works[i], middle) : 0;
    hash_bodies(batch);
    run_middle(batch, middle);
}

void begin_mac(const Batch &batch, const Middle &middle) {
    for (size_t i = 0; i < batch.n && !middle.choice; i++) batch.works[i].body_bytes = batch.works[i].job->in_len;
    hash_heads(batch, !middle.choice);
    if (middle.choice) run_middles(batch, middle);
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
        put_ccm_block(*work.job, 0, 0, work.last);
        aes_encrypt(work.key->encrypt, batch.suite->encrypt->record.rounds, work.last, work.last);
        put_words(work.hash_chain, load64(work.hash_chain) ^ load64(work.last), load64(work.hash_chain + 8) ^ load64(work.last + 8));
    }
}

}  // namespace

void seal_ccm(const Batch &batch) {
    const Middle middle = begin(batch, false);
    begin_mac(batch, middle);
    make_tags(batch);
    run_text(batch);
    for (size_t i = 0; i < batch.n; i++) copy_few(static_cast<uint8_t *>(batch.works[i].job->tag), batch.works[i].hash_chain, batch.works[i].job->tag_len);
}

// The MAC is over the plaintext, so it is made first, and wiped if the tag is wrong.
void open_ccm(const Batch &batch) {
    const Middle middle = begin(batch, true);
    if (middle.choice) begin_mac(batch, middle);
    run_text(batch);
    if (!middle.choice) begin_mac(batch, middle);
    make_tags(batch);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (!same_bytes(work.hash_chain, static_cast<const uint8_t *>(work.job->tag), work.job->tag_len)) fail(&work);
    }
}

}  // namespace cst
