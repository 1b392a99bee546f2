// The hash side of a batch: messages that consist of a head (AAD, IV), a body in the caller's memory, and an end.

#include <cstring>

#include "../suite/padding.hpp"
#include "copy.hpp"
#include "work.hpp"

namespace cst {
namespace {

const AlgorithmRecord &hash_of(const Batch &batch) { return batch.suite->hash->record; }

// Hashes `bytes(work)` bytes of `blocks`, whole hash blocks.
template <typename Bytes>
void run_blocks(const Batch &batch, Bytes bytes) {
    Item **items = batch.arena->items;
    size_t n = 0;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.item.hash_in = work.blocks;
        work.item.bytes = bytes(work);
        work.use_blocks(work.item.bytes);
        if (work.item.bytes) items[n++] = &work.item;
    }
    run_items(batch, batch.suite->hashes, n);
}

// Most bytes between body and padding.
size_t trailer_bytes(const Suite &suite) {
    switch (suite.construction) {
        case Construction::rfc7518: return AAD_LENGTH_BYTES;
        case Construction::esp: return ESP_EXTENSION;
        default: return 0;
    }
}

// Makes the end of the message behind what of the head is in `to` already. Returns how many bytes, whole blocks, are there then.
size_t make_end(const Batch &batch, Work *work, uint8_t *to, size_t used) {
    const Suite &suite = *batch.suite;
    const AlgorithmRecord &hash = hash_of(batch);
    const size_t rest = size_t(work->body_bytes - work->hashed);
    work->body->read(work->hashed, to + used, rest);
    used += rest;
    const size_t trailer = put_trailer(suite, *work->job, to + used);
    uint64_t total = head_bytes(suite, work->job->aad_len) + work->body_bytes + trailer;
    if (suite.mac()) total += hash.block_bytes;
    work->hashed += rest;
    work->ended = true;
    if (suite.block_mac()) return mask_end(*work->key, to, used + trailer);
    return hash_pad(hash, to, used + trailer, total);
}

// Kernels of a block cipher's MAC take several blocks in an iteration, what head and end have are few: bodies of so many bytes are worth a run of their own.
constexpr uint64_t LONG_BODY = 2048;

// What of a message can be hashed without leaving the lane.
class Run {
public:
    Run(const Batch &batch, Work *work)
        : batch_(batch), work_(*work), unit_(hash_of(batch).block_bytes),
          apart_(batch.suite->block_mac() && (batch.suite->forced || work->body_bytes >= LONG_BODY)) {}

    // Collects pieces: up to hash_end, or all. Returns whether more must follow in another run.
    bool collect(bool all) {
        if (work_.ended) return false;
        work_.item.bytes = 0;
        if (work_.aad_waits) add(static_cast<const uint8_t *>(work_.job->aad), aad_in_head(*batch_.suite, work_.job->aad_len) & ~(unit_ - 1));
        work_.aad_waits = false;
        if (work_.whole || work_.head) {
            if (all) add_end(0, work_.whole && batch_.suite->kind == CST_AEAD ? put_whole_head() : work_.head);
            return false;
        }
        if (work_.joint) add_blocks(0, work_.joint);
        work_.joint = 0;
        if (apart_ && n_) return true;
        const uint64_t left = (work_.hash_end - work_.hashed) & ~(unit_ - 1);
        if (work_.body->scattered() && left) {
            if (n_ == 0) add_scattered(left);
            return all || work_.hash_end - work_.hashed >= unit_;
        }
        if (left) add(work_.body->at(work_.hashed), left);
        work_.hashed += left;
        if (apart_ && n_) return all;
        if (all) add_end(2 * unit_, 0);
        return false;
    }
    bool any() const { return n_ != 0; }

private:
    void add(const uint8_t *at, uint64_t bytes) {
        if (n_ == 0) {
            work_.item.hash_in = at;
            work_.item.bytes = bytes;
        } else {
            work_.item.then[n_ - 1] = {at, bytes};
        }
        n_++;
    }
    void add_blocks(size_t place, size_t bytes) {
        work_.use_blocks(place + bytes);
        add(work_.blocks + place, bytes);
    }
    void add_end(size_t place, size_t used) { add_blocks(place, make_end(batch_, &work_, work_.blocks + place, used)); }
    size_t put_whole_head() { return put_head(*batch_.suite, work_, aad_in_head(*batch_.suite, work_.job->aad_len), work_.blocks); }

    // What lies together; or a detour over blocks that do not.
    void add_scattered(uint64_t left) {
        const uint64_t here = work_.body->together(work_.hashed) & ~uint64_t(unit_ - 1);
        uint64_t bytes = here < left ? here : left;
        if (here) {
            add(work_.body->at(work_.hashed), bytes);
        } else {
            const uint64_t most = JOIN_BLOCKS * MOST_BLOCK / unit_ * unit_;
            for (bytes = unit_; bytes < left && bytes < most && work_.body->together(work_.hashed + bytes) < LONG_STRETCH;) bytes += unit_;
            work_.body->read(work_.hashed, work_.blocks, bytes);
            add_blocks(0, bytes);
        }
        work_.hashed += bytes;
    }

    const Batch &batch_;
    Work &work_;
    const size_t unit_;
    const bool apart_;
    size_t n_ = 0;
};

void hash_on(const Batch &batch, bool all) {
    Item **items = batch.arena->items;
    for (bool more = true; more;) {
        more = false;
        size_t n = 0;
        for (size_t i = 0; i < batch.n; i++) {
            Run run(batch, &batch.works[i]);
            more |= run.collect(all);
            if (run.any()) items[n++] = &batch.works[i].item;
        }
        run_items(batch, batch.suite->hashes, n);
    }
}

}  // namespace

size_t put_head(const Suite &suite, const Work &work, size_t rest, uint8_t *to) {
    const cst_job &job = *work.job;
    const uint8_t *aad_end = static_cast<const uint8_t *>(job.aad) + aad_in_head(suite, job.aad_len);
    if (rest) copy_few(to, aad_end - rest, rest);
    if (suite.construction == Construction::tls) {
        memcpy(to + rest, work.record_length, sizeof(work.record_length));
        return rest + sizeof(work.record_length);
    }
    if (!suite.iv_bytes) return rest;
    if (suite.half_blocks()) memcpy(to + rest, job.iv, DES_BLOCK);
    else memcpy(to + rest, job.iv, IV_BYTES);
    return rest + suite.iv_bytes;
}

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

bool lay_out(const Batch &batch) {
    const size_t unit = hash_of(batch).block_bytes;  // a power of two
    bool all = true;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const uint64_t head = head_bytes(*batch.suite, work.job->aad_len);
        work.whole = fits_whole(*batch.suite, head, work.body_bytes);
        work.boundary = uint32_t(-head & (unit - 1));
        all &= work.whole;
    }
    return all;
}

void make_heads(const Batch &batch) {
    const Suite &suite = *batch.suite;
    const size_t unit = hash_of(batch).block_bytes;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (work.whole) continue;
        const uint64_t aad_len = aad_in_head(suite, work.job->aad_len);
        work.aad_waits = aad_len >= unit;
        const size_t head = put_head(suite, work, aad_len & (unit - 1), work.blocks), more = work.boundary;
        if (work.ready < more) {
            work.head = head;
            continue;
        }
        work.body->read(0, work.blocks + head, more);
        work.joint = head + more;
        work.hashed = more;
    }
}

void hash_bodies(const Batch &batch) { hash_on(batch, false); }

void hash_finish(const Batch &batch) {
    hash_on(batch, true);
    if (batch.suite->hmac()) hash_outer(batch);
}

void hash_outer(const Batch &batch) {
    const AlgorithmRecord &hash = hash_of(batch);
    run_blocks(batch, [&](Work &work) {
        hash_digest(hash, work.hash_chain, work.blocks, hash.digest_bytes);
        work.item.hash_from = work.key->outer;
        return hash_pad(hash, work.blocks, hash.digest_bytes, uint64_t(hash.block_bytes) + hash.digest_bytes);
    });
}

void hash_tail_block(const Batch &batch, uint32_t i) {
    run_blocks(batch, [&](Work &work) { return work.tail_blocks > i ? hash_of(batch).block_bytes : 0; });
}

void read_tag(const Work &work, uint8_t *to, size_t n) {
    const Suite &suite = *work.key->suite;
    if (suite.block_mac()) copy_few(to, work.hash_chain, n);
    else hash_digest(suite.hash->record, work.hash_chain, to, n);
}

}  // namespace cst
