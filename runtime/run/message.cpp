// The hash side of a batch: messages that consist of a head (AAD, IV), a body in the caller's memory, and an end.

#include <cstring>

#include "../suite/padding.hpp"
#include "work.hpp"

namespace cst {
namespace {

const AlgorithmRecord &hash_of(const Batch &batch) { return batch.suite->hash->record; }

// Hashes for each work the whole blocks that `source` names; returns through `done` how far it came.
template <typename Source, typename Done>
void run_hash(const Batch &batch, Source source, Done done) {
    Item *items = batch.arena->items;
    size_t n = 0;
    const uint64_t unit = hash_of(batch).block_bytes;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        Item &item = items[n];
        item = Item();
        item.hash_chain = work.hash_chain;
        item.owner = &work;
        source(work, &item);
        item.bytes &= ~(unit - 1);
        if (item.bytes) n++;
    }
    if (!n) return;
    Phase phase;
    phase.suite = batch.suite;
    phase.family = &batch.suite->hashes;
    phase.one_key = batch.one_key;
    run_phase(phase, &batch.arena->lanes, items, batch.arena->order, n);
    for (size_t i = 0; i < n; i++) done(*static_cast<Work *>(items[i].owner), items[i].done);
}

void ignore(Work &, uint64_t) {}

}  // namespace

void find_boundaries(const Batch &batch) {
    const size_t unit = hash_of(batch).block_bytes;  // a power of two
    for (size_t i = 0; i < batch.n; i++) {
        const cst_job &job = *batch.works[i].job;
        batch.works[i].boundary = uint32_t(-(job.aad_len + job.iv_len) & (unit - 1));
    }
}

void hash_heads(const Batch &batch) {
    const size_t unit = hash_of(batch).block_bytes;
    run_hash(batch, [](Work &work, Item *item) {
        item->hash_in = static_cast<const uint8_t *>(work.job->aad);
        item->bytes = work.job->aad_len;
    }, ignore);
    run_hash(batch, [&](Work &work, Item *item) {
        const cst_job &job = *work.job;
        const size_t rest = job.aad_len & (unit - 1);
        if (rest) memcpy(work.blocks, static_cast<const uint8_t *>(job.aad) + (job.aad_len - rest), rest);
        memcpy(work.blocks + rest, job.iv, job.iv_len);
        work.head = rest + job.iv_len;
        const uint64_t more = work.boundary;
        if (work.ready < more) return;  // a short body: all of it goes with the end
        if (more) memcpy(work.blocks + work.head, work.body, more);
        item->hash_in = work.blocks;
        item->bytes = work.head + more;
        work.hashed = more;
        work.head = 0;
    }, ignore);
}

void hash_bodies(const Batch &batch) {
    run_hash(batch, [](Work &work, Item *item) {
        if (work.head) return;
        item->hash_in = work.body + work.hashed;
        item->bytes = work.body_bytes - work.hashed;
    }, [](Work &work, uint64_t done) { work.hashed += done; });
}

void hash_finish(const Batch &batch) {
    const AlgorithmRecord &hash = hash_of(batch);
    const Suite &suite = *batch.suite;
    run_hash(batch, [&](Work &work, Item *item) {
        size_t used = work.head;
        const size_t rest = size_t(work.body_bytes - work.hashed);
        if (rest) memcpy(work.blocks + used, work.body + work.hashed, rest);
        used += rest;
        uint64_t total = work.body_bytes;
        if (suite.kind == CST_AEAD) total += work.job->aad_len + work.job->iv_len;
        if (suite.mac()) total += hash.block_bytes;
        if (suite.profile) {
            const uint64_t bits = uint64_t(work.job->aad_len) << 3;
            for (size_t i = 0; i < PROFILE_TRAILER; i++) work.blocks[used++] = uint8_t(bits >> (8 * (PROFILE_TRAILER - 1 - i)));
            total += PROFILE_TRAILER;
        }
        item->hash_in = work.blocks;
        item->bytes = hash_pad(hash, work.blocks, used, total);
    }, ignore);
    if (!suite.mac()) return;
    run_hash(batch, [&](Work &work, Item *item) {
        hash_digest(hash, work.hash_chain, work.blocks);
        memcpy(work.hash_chain, work.key->outer, sizeof(work.hash_chain));
        item->hash_in = work.blocks;
        item->bytes = hash_pad(hash, work.blocks, hash.digest_bytes, uint64_t(hash.block_bytes) + hash.digest_bytes);
    }, ignore);
}

void read_tag(const Work &work, uint8_t *digest) { hash_digest(work.key->suite->hash->record, work.hash_chain, digest); }

}  // namespace cst
