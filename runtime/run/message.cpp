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

// Most bytes between body and padding.
size_t trailer_bytes(const Suite &suite) {
    switch (suite.construction) {
        case Construction::rfc7518: return AAD_LENGTH_BYTES;
        case Construction::esp: return ESP_EXTENSION;
        default: return 0;
    }
}

// Appends what comes between body and padding. Returns its size.
size_t put_trailer(const Suite &suite, const cst_job &job, uint8_t *to) {
    if (suite.construction == Construction::rfc7518) {
        const uint64_t bits = __builtin_bswap64(uint64_t(job.aad_len) << 3);
        memcpy(to, &bits, sizeof(bits));
        return sizeof(bits);
    }
    if (suite.construction != Construction::esp || job.aad_len == ESP_HEADER) return 0;
    memcpy(to, static_cast<const uint8_t *>(job.aad) + ESP_HEADER, ESP_EXTENSION);
    return ESP_EXTENSION;
}

// The head's two parts.
uint64_t aad_in_head(const Suite &suite, uint64_t aad_len) { return suite.construction == Construction::esp ? ESP_HEADER : aad_len; }

Piece behind_aad(const Suite &suite, const Work &work) {
    if (suite.construction == Construction::tls) return Piece{work.record_length, sizeof(work.record_length)};
    return Piece{static_cast<const uint8_t *>(work.job->iv), work.job->iv_len};
}

// Whole blocks of the body that one call can do: what lies together; or a detour over blocks that do not.
Piece next_of_body(const Batch &batch, Work *work, uint64_t bytes) {
    if (!work->body.scattered()) return Piece{work->body.at(work->hashed), bytes};
    const uint64_t unit = hash_of(batch).block_bytes, most = JOIN_BLOCKS * MOST_BLOCK / unit * unit;
    const uint64_t here = work->body.together(work->hashed) & ~(unit - 1);
    if (here) return Piece{work->body.at(work->hashed), here < bytes ? here : bytes};
    uint64_t detour = unit;
    while (detour < bytes && detour < most && work->body.together(work->hashed + detour) < LONG_STRETCH) detour += unit;
    work->body.read(work->hashed, work->blocks, detour);
    return in_blocks(batch, *work, detour);
}

}  // namespace

uint64_t head_bytes(const Suite &suite, uint64_t aad_len) {
    switch (suite.construction) {
        case Construction::single: return 0;
        case Construction::tls: return TLS_HEAD;
        default: return aad_in_head(suite, aad_len) + suite.iv_bytes;
    }
}

bool fits_whole(const Suite &suite, uint64_t head, uint64_t body) {
    if (suite.forced) return false;  // what is forced must be seen to run
    return head + body + trailer_bytes(suite) + 1 + suite.hash->record.length_bytes <= JOIN_BLOCKS * MOST_BLOCK;
}

void find_wholes(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.whole = fits_whole(*batch.suite, head_bytes(*batch.suite, work.job->aad_len), work.body_bytes);
    }
}

void find_boundaries(const Batch &batch) {
    const size_t unit = hash_of(batch).block_bytes;  // a power of two
    for (size_t i = 0; i < batch.n; i++)
        batch.works[i].boundary = uint32_t(-head_bytes(*batch.suite, batch.works[i].job->aad_len) & (unit - 1));
}

void hash_heads(const Batch &batch) {
    const Suite &suite = *batch.suite;
    const size_t unit = hash_of(batch).block_bytes;
    run_hash(batch, [&](Work &work) -> Piece {
        return work.whole ? Piece() : Piece{static_cast<const uint8_t *>(work.job->aad), aad_in_head(suite, work.job->aad_len)};
    }, ignore);
    run_hash(batch, [&](Work &work) -> Piece {
        const uint64_t aad_len = aad_in_head(suite, work.job->aad_len);
        const size_t rest = work.whole ? aad_len : aad_len & (unit - 1);
        const Piece behind = behind_aad(suite, work);
        copy_few(work.blocks, static_cast<const uint8_t *>(work.job->aad) + (aad_len - rest), rest);
        copy_few(work.blocks + rest, behind.at, behind.bytes);
        work.head = rest + behind.bytes;
        const uint64_t more = work.boundary;
        if (work.whole || work.ready < more) return Piece();  // all of the body goes with the end
        work.body.read(0, work.blocks + work.head, more);
        const uint64_t bytes = work.head + more;
        work.hashed = more;
        work.head = 0;
        return in_blocks(batch, work, bytes);
    }, ignore);
}

void hash_bodies(const Batch &batch) {
    const uint64_t unit = hash_of(batch).block_bytes;
    for (bool more = true; more;) {
        more = false;
        run_hash(batch, [&](Work &work) -> Piece {
            if (work.head || work.whole) return Piece();
            const uint64_t left = (work.hash_end - work.hashed) & ~(unit - 1);
            if (!left) return Piece();
            const Piece next = next_of_body(batch, &work, left);
            more |= next.bytes < left;
            return next;
        }, [](Work &work, uint64_t done) { work.hashed += done; });
    }
}

void hash_finish(const Batch &batch) {
    const AlgorithmRecord &hash = hash_of(batch);
    const Suite &suite = *batch.suite;
    run_hash(batch, [&](Work &work) -> Piece {
        size_t used = work.head;
        const size_t rest = size_t(work.body_bytes - work.hashed);
        work.body.read(work.hashed, work.blocks + used, rest);
        used += rest;
        const size_t trailer = put_trailer(suite, *work.job, work.blocks + used);
        used += trailer;
        uint64_t total = head_bytes(suite, work.job->aad_len) + work.body_bytes + trailer;
        if (suite.mac()) total += hash.block_bytes;
        return in_blocks(batch, work, hash_pad(hash, work.blocks, used, total));
    }, ignore);
    if (suite.mac()) hash_outer(batch);
}

void hash_outer(const Batch &batch) {
    const AlgorithmRecord &hash = hash_of(batch);
    run_hash(batch, [&](Work &work) -> Piece {
        hash_digest(hash, work.hash_chain, work.blocks);
        memcpy(work.hash_chain, work.key->outer, sizeof(work.hash_chain));
        return in_blocks(batch, work, hash_pad(hash, work.blocks, hash.digest_bytes, uint64_t(hash.block_bytes) + hash.digest_bytes));
    }, ignore);
}

void hash_tail_block(const Batch &batch, uint32_t i) {
    run_hash(batch, [&](Work &work) -> Piece { return work.tail_blocks > i ? in_blocks(batch, work, hash_of(batch).block_bytes) : Piece(); }, ignore);
}

void read_tag(const Work &work, uint8_t *digest) { hash_digest(work.key->suite->hash->record, work.hash_chain, digest); }

}  // namespace cst
