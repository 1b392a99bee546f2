// The hash side of a batch: messages that consist of a head (AAD, IV), a body in the caller's memory, and an end.

#include <cstring>

#include "../suite/padding.hpp"
#include "copy.hpp"
#include "work.hpp"

namespace cst {
namespace {

const AlgorithmRecord &hash_of(const Batch &batch) { return batch.suite->hash->record; }

// What of a work is to be hashed next.
struct Piece {
    const uint8_t *at = nullptr;
    uint64_t bytes = 0;
};

// Hashes the whole blocks of what `source(work)` names; tells `done(work, bytes)` how far it came.
template <typename Source, typename Done>
void run_hash(const Batch &batch, Source source, Done done) {
    Item *items = batch.arena->items;
    size_t n = 0;
    const uint64_t unit = hash_of(batch).block_bytes;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const Piece piece = source(work);
        if (piece.bytes < unit) continue;
        Item &item = items[n++];
        item = Item();
        item.hash_in = piece.at;
        item.hash_chain = work.hash_chain;
        item.bytes = piece.bytes & ~(unit - 1);
        item.owner = &work;
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

// What is in `blocks` of a work and will be hashed.
Piece in_blocks(const Batch &batch, const Work &work, size_t bytes) {
    if (batch.arena->blocks_used < bytes) batch.arena->blocks_used = bytes;
    return Piece{work.blocks, bytes};
}

// Bytes between head and padding, behind the body.
size_t trailer_bytes(const Suite &suite) { return suite.profile ? PROFILE_TRAILER : 0; }

}  // namespace

bool fits_whole(const Suite &suite, uint64_t head, uint64_t body) {
    if (suite.forced) return false;  // what is forced must be seen to run
    return head + body + trailer_bytes(suite) + 1 + suite.hash->record.length_bytes <= JOIN_BLOCKS * MOST_BLOCK;
}

void find_wholes(const Batch &batch) {
    const bool heads = batch.suite->kind == CST_AEAD;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.whole = fits_whole(*batch.suite, heads ? uint64_t(work.job->aad_len) + work.job->iv_len : 0, work.body_bytes);
    }
}

void find_boundaries(const Batch &batch) {
    const size_t unit = hash_of(batch).block_bytes;  // a power of two
    for (size_t i = 0; i < batch.n; i++) {
        const cst_job &job = *batch.works[i].job;
        batch.works[i].boundary = uint32_t(-(job.aad_len + job.iv_len) & (unit - 1));
    }
}

void hash_heads(const Batch &batch) {
    const size_t unit = hash_of(batch).block_bytes;
    run_hash(batch, [](Work &work) -> Piece {
        return work.whole ? Piece() : Piece{static_cast<const uint8_t *>(work.job->aad), work.job->aad_len};
    }, ignore);
    run_hash(batch, [&](Work &work) -> Piece {
        const cst_job &job = *work.job;
        const size_t rest = work.whole ? job.aad_len : job.aad_len & (unit - 1);
        copy_few(work.blocks, static_cast<const uint8_t *>(job.aad) + (job.aad_len - rest), rest);
        copy_few(work.blocks + rest, static_cast<const uint8_t *>(job.iv), job.iv_len);
        work.head = rest + job.iv_len;
        const uint64_t more = work.boundary;
        if (work.whole || work.ready < more) return Piece();  // all of the body goes with the end
        copy_few(work.blocks + work.head, work.body, more);
        const uint64_t bytes = work.head + more;
        work.hashed = more;
        work.head = 0;
        return in_blocks(batch, work, bytes);
    }, ignore);
}

void hash_bodies(const Batch &batch) {
    run_hash(batch, [](Work &work) -> Piece {
        return work.head || work.whole ? Piece() : Piece{work.body + work.hashed, work.body_bytes - work.hashed};
    }, [](Work &work, uint64_t done) { work.hashed += done; });
}

void hash_finish(const Batch &batch) {
    const AlgorithmRecord &hash = hash_of(batch);
    const Suite &suite = *batch.suite;
    run_hash(batch, [&](Work &work) -> Piece {
        size_t used = work.head;
        const size_t rest = size_t(work.body_bytes - work.hashed);
        copy_few(work.blocks + used, work.body + work.hashed, rest);
        used += rest;
        uint64_t total = work.body_bytes;
        if (suite.kind == CST_AEAD) total += work.job->aad_len + work.job->iv_len;
        if (suite.mac()) total += hash.block_bytes;
        if (suite.profile) {
            const uint64_t bits = uint64_t(work.job->aad_len) << 3;
            for (size_t i = 0; i < PROFILE_TRAILER; i++) work.blocks[used++] = uint8_t(bits >> (8 * (PROFILE_TRAILER - 1 - i)));
            total += PROFILE_TRAILER;
        }
        return in_blocks(batch, work, hash_pad(hash, work.blocks, used, total));
    }, ignore);
    if (!suite.mac()) return;
    run_hash(batch, [&](Work &work) -> Piece {
        hash_digest(hash, work.hash_chain, work.blocks);
        memcpy(work.hash_chain, work.key->outer, sizeof(work.hash_chain));
        return in_blocks(batch, work, hash_pad(hash, work.blocks, hash.digest_bytes, uint64_t(hash.block_bytes) + hash.digest_bytes));
    }, ignore);
}

void read_tag(const Work &work, uint8_t *digest) { hash_digest(work.key->suite->hash->record, work.hash_chain, digest); }

}  // namespace cst
