// CMAC (SP 800-38B) and XCBC (RFC 3566): CBC-MAC of a message whose last block is masked with one of two subkeys.

#include <algorithm>
#include <cstring>

#include "../suite/secret.hpp"
#include "work.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16;
constexpr size_t WHOLE = JOIN_BLOCKS * MOST_BLOCK;  // a message of so many bytes is put together in `blocks`

// SP 800-38B, 5.3: times x in GF(2^128), the first bit being the highest power.
void twice(const uint8_t *from, uint8_t *to) {
    const uint8_t carry = from[0] >> 7;
    for (size_t i = 0; i < BLOCK; i++) to[i] = uint8_t(from[i] << 1 | (i + 1 < BLOCK ? from[i + 1] >> 7 : 0));
    to[BLOCK - 1] ^= uint8_t(0 - carry) & 0x87;
}

// The whole blocks before the last one.
uint64_t bulk_of(const cst_job &job) { return job.in_len ? (job.in_len - 1) / BLOCK * BLOCK : 0; }

void make_last(Work *work, uint64_t bulk) {
    const cst_job &job = *work->job;
    const size_t rest = size_t(job.in_len - bulk);
    memset(work->last, 0, BLOCK);
    work->in.read(bulk, work->last, rest);
    if (rest < BLOCK) work->last[rest] = 0x80;
    const uint8_t *mask = rest < BLOCK ? work->key->filled : work->key->whole;
    for (size_t i = 0; i < BLOCK; i++) work->last[i] ^= mask[i];
}

// Gives the item what of the message can be read without leaving the lane. Returns whether more must follow.
bool take(Work *work, uint64_t bulk) {
    Item &item = work->item;
    const uint64_t left = bulk - work->hashed;
    auto by_blocks = [&](uint64_t bytes) {
        work->in.read(work->hashed, work->blocks, bytes);
        item.hash_in = work->blocks;
        item.bytes = bytes;
        work->use_blocks(bytes);
    };
    if (left < WHOLE) {
        by_blocks(left);
        memcpy(work->blocks + left, work->last, BLOCK);
        item.bytes += BLOCK;
        work->use_blocks(item.bytes);
        work->ended = true;
        return false;
    }
    const uint64_t here = work->in.together(work->hashed) & ~uint64_t(BLOCK - 1);
    if (here < BLOCK) {
        by_blocks(WHOLE);
    } else {
        item.hash_in = work->in.at(work->hashed);
        item.bytes = std::min(here, left);
    }
    work->hashed += item.bytes;
    work->ended = work->hashed == bulk;
    if (work->ended) item.then[0] = {work->last, BLOCK};
    return !work->ended;
}

// The MACs of all jobs, in hash_chain.
void run_block_macs(const Batch &batch) {
    static const uint8_t zero[BLOCK] = {};
    const uint32_t rounds = batch.suite->hash->record.rounds;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const cst_job &job = *work.job;
        work.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        work.item.hash_from = zero;
        work.item.mac_keys_end = work.key->encrypt[rounds + 1];
        make_last(&work, bulk_of(job));
    }
    Phase phase;
    phase.suite = batch.suite;
    phase.family = &batch.suite->hashes;
    for (bool more = true; more;) {
        more = false;
        size_t n = 0;
        for (size_t i = 0; i < batch.n; i++) {
            Work &work = batch.works[i];
            if (work.ended) continue;
            more |= take(&work, bulk_of(*work.job));
            batch.arena->items[n++] = &work.item;
        }
        run_phase(phase, &batch.arena->lanes, batch.arena->items, batch.arena->order, n);
    }
}

}  // namespace

void expand_block_mac(const Suite &suite, const uint8_t *key, Key *out) {
    const AlgorithmRecord &cipher = suite.hash->record;
    uint8_t block[BLOCK] = {};
    aes_expand(key, cipher.key_bytes, out->encrypt);
    if (suite.construction == Construction::cmac) {  // SP 800-38B, 6.1
        aes_encrypt(out->encrypt, cipher.rounds, block, block);
        twice(block, out->whole);
        twice(out->whole, out->filled);
    } else {  // RFC 3566, 4: K1, K2 and K3 are E(K) of blocks of ones, twos and threes
        uint8_t *const to[] = {block, out->whole, out->filled};
        for (uint8_t i = 0; i < 3; i++) {
            memset(to[i], i + 1, BLOCK);
            aes_encrypt(out->encrypt, cipher.rounds, to[i], to[i]);
        }
        aes_expand(block, cipher.key_bytes, out->encrypt);
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
