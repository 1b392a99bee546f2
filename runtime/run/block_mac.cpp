// CBC-MAC of a message whose end is made by somebody; and CMAC (SP 800-38B) and XCBC (RFC 3566), where the last block is masked with one of two subkeys.

#include <algorithm>
#include <cstring>

#include "../suite/secret.hpp"
#include "work.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16;
constexpr size_t STRIDE = 64;                       // what most kernels do in a step
constexpr size_t DETOUR = JOIN_BLOCKS * MOST_BLOCK;  // bytes of a scattered message that go by way of `blocks` at once

// SP 800-38B, 5.3: times x in GF(2^128), the first bit being the highest power.
void twice(const uint8_t *from, uint8_t *to) {
    const uint8_t carry = from[0] >> 7;
    for (size_t i = 0; i < BLOCK; i++) to[i] = uint8_t(from[i] << 1 | (i + 1 < BLOCK ? from[i + 1] >> 7 : 0));
    to[BLOCK - 1] ^= uint8_t(0 - carry) & 0x87;
}

uint64_t end_of(const Work &work) { return cbc_mac_end(work.body_bytes); }

size_t masked_end(Work *work) {
    const uint64_t begin = end_of(*work);
    const size_t bytes = size_t(work->body_bytes - begin);
    work->body->read(begin, work->blocks, bytes);
    return mask_end(*work->key, work->blocks, bytes);
}

// Gives the item what of the message can be read without leaving the lane.
void take(Work *work, size_t (*make_end)(Work *)) {
    Item &item = work->item;
    const uint64_t left = end_of(*work) - work->hashed;
    const uint64_t here = left ? work->body->together(work->hashed) & ~uint64_t(BLOCK - 1) : 0;
    item.bytes = std::min(here ? here : DETOUR, left);
    item.hash_in = here ? work->body->at(work->hashed) : work->blocks;
    if (left && !here) {
        work->body->read(work->hashed, work->blocks, item.bytes);
        work->use_blocks(item.bytes);
    }
    work->hashed += item.bytes;
    work->ended = item.bytes == left && (here || !left);
    if (!work->ended) return;
    const size_t end = make_end(work);
    work->use_blocks(end);
    if (item.bytes) item.then[0] = {work->blocks, end};
    else item.bytes = end;
}

// The MACs of all jobs, in hash_chain.
void run_block_macs(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const cst_job &job = *work.job;
        work.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        work.body = &work.in;
        work.body_bytes = job.in_len;
        begin_cbc_mac(&work);
    }
    run_cbc_mac(batch, masked_end);
}

}  // namespace

uint64_t cbc_mac_end(uint64_t bytes) { return bytes ? (bytes - 1) & ~uint64_t(STRIDE - 1) : 0; }

size_t mask_end(const Key &key, uint8_t *end, size_t bytes) {
    const size_t last = bytes ? (bytes - 1) & ~(BLOCK - 1) : 0;
    const bool whole = bytes == last + BLOCK;
    if (!whole) {
        memset(end + bytes, 0, last + BLOCK - bytes);
        end[bytes] = 0x80;
    }
    uint64_t x[2], mask[2];
    memcpy(x, end + last, BLOCK);
    memcpy(mask, whole ? key.whole : key.filled, BLOCK);
    for (int i = 0; i < 2; i++) x[i] ^= mask[i];
    memcpy(end + last, x, BLOCK);
    return last + BLOCK;
}

void begin_cbc_mac(Work *work) {
    static const uint8_t zero[BLOCK] = {};
    work->item.hash_from = zero;
    work->item.mac_keys_end = work->key->encrypt[work->key->suite->hash->record.rounds + 1];
}

size_t zero_filled_end(Work *work) {
    const uint64_t begin = end_of(*work);
    const size_t bytes = size_t(work->body_bytes - begin), whole = (bytes + BLOCK - 1) & ~(BLOCK - 1);
    work->body->read(begin, work->blocks, bytes);
    memset(work->blocks + bytes, 0, whole - bytes);
    return whole;
}

void run_cbc_mac(const Batch &batch, size_t (*make_end)(Work *)) {
    Phase phase;
    phase.suite = batch.suite;
    phase.family = &batch.suite->hashes;
    for (bool more = true; more;) {
        more = false;
        size_t n = 0;
        for (size_t i = 0; i < batch.n; i++) {
            Work &work = batch.works[i];
            if (work.ended) continue;
            take(&work, make_end);
            more |= !work.ended;
            if (work.item.bytes) batch.arena->items[n++] = &work.item;
        }
        if (n) run_phase(phase, &batch.arena->lanes, batch.arena->items, batch.arena->order, n);
    }
}

void expand_block_mac(const Suite &suite, const uint8_t *key, uint8_t (*round_keys)[16], Key *out) {
    const AlgorithmRecord &cipher = suite.hash->record;
    uint8_t block[BLOCK] = {};
    aes_expand(key, cipher.key_bytes, round_keys);
    if (suite.construction == Construction::cmac) {  // SP 800-38B, 6.1
        aes_encrypt(round_keys, cipher.rounds, block, block);
        twice(block, out->whole);
        twice(out->whole, out->filled);
    } else {  // RFC 3566, 4: K1, K2 and K3 are E(K) of blocks of ones, twos and threes
        uint8_t *const to[] = {block, out->whole, out->filled};
        for (uint8_t i = 0; i < 3; i++) {
            memset(to[i], i + 1, BLOCK);
            aes_encrypt(round_keys, cipher.rounds, to[i], to[i]);
        }
        aes_expand(block, cipher.key_bytes, round_keys);
    }
    wipe(block, sizeof(block));
}

void seal_block_macs(const Batch &batch) {
    run_block_macs(batch);
    for (size_t i = 0; i < batch.n; i++) {
        cst_job &job = *batch.works[i].job;
        memcpy(job.tag, batch.works[i].hash_chain, job.tag_len);
        job.out_len = 0;
        job.status = CST_OK;
    }
}

void open_block_macs(const Batch &batch) {
    run_block_macs(batch);
    for (size_t i = 0; i < batch.n; i++) {
        cst_job &job = *batch.works[i].job;
        job.out_len = 0;
        job.status = CST_OK;
        if (!same_bytes(batch.works[i].hash_chain, static_cast<const uint8_t *>(job.tag), job.tag_len)) fail(&batch.works[i]);
    }
}

}  // namespace cst
