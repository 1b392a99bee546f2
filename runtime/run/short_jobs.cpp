// Cipher over all jobs, hash over all jobs, outer hash over all jobs; opening, the cipher comes last and leaves out what was forged.

#include "short_jobs.hpp"

#include <algorithm>
#include <cstring>

#include "../suite/secret.hpp"
#include "copy.hpp"

namespace cst {
namespace {

// Runs the items that `set` makes of the jobs, leaving out those for which it returns false.
template <typename Set>
void run_jobs(const ShortBatch &batch, const Family &family, Set set) {
    Item **items = batch.arena->items;
    size_t n = 0;
    for (size_t i = 0; i < batch.n; i++) {
        ShortJob &job = batch.jobs[i];
        job.item.then[0].bytes = 0;
        if (set(job)) items[n++] = &job.item;
    }
    run_items(batch, family, n);
}

void run_cipher(const ShortBatch &batch, bool decrypt) {
    const bool inverse = decrypt && batch.suite->encrypt != batch.suite->decrypt;
    run_jobs(batch, batch.suite->ciphers(decrypt), [&](ShortJob &job) {
        Item &item = job.item;
        item.in = static_cast<const uint8_t *>(job.job->in);
        item.out = static_cast<uint8_t *>(job.job->out);
        item.bytes = job.job->in_len;
        item.done = 0;
        item.cipher_from = static_cast<const uint8_t *>(job.job->iv);
        item.cipher_chain = job.chain;
        item.round_keys = inverse ? job.key->decrypt[0] : job.key->encrypt[0];
        return !job.failed && item.bytes;
    });
}

// What all messages of a batch have in common.
class Messages {
public:
    explicit Messages(const ShortBatch &batch)
        : suite_(*batch.suite), hash_(suite_.hash->record), unit_(hash_.block_bytes), before_(suite_.mac() ? unit_ : 0),
          single_(suite_.construction == Construction::single), esp_(suite_.construction == Construction::esp), free_(batch.arena->short_blocks) {}

    // Makes the item of the job's message with its padding; `body` is what was sealed, or is to be opened.
    void set(ShortJob *job, const uint8_t *body) {
        const cst_job &j = *job->job;
        Item &item = job->item;
        job->blocks = free_;
        const size_t head = put_head(j, job->blocks), bytes = j.in_len;
        item.hash_from = job->key->inner;
        item.hash_chain = job->chain;
        if (head + bytes + MOST_END <= SHORT_BLOCKS) {
            copy_few(job->blocks + head, body, bytes);
            item.hash_in = job->blocks;
            item.bytes = end(j, head, job->blocks, head + bytes);
            free_ += item.bytes;
            return;
        }
        const size_t joint = (head + unit_ - 1) & ~(unit_ - 1), begin = joint - head;
        const size_t middle = (bytes - begin) & ~(unit_ - 1), rest = bytes - begin - middle;
        uint8_t *last = job->blocks + joint;
        copy_few(job->blocks + head, body, begin);
        copy_few(last, body + begin + middle, rest);
        Piece *next = item.then;
        if (joint) {
            item.hash_in = job->blocks;
            item.bytes = joint;
            if (middle) *next++ = {body + begin, middle};
        } else {
            item.hash_in = body;
            item.bytes = middle;
        }
        *next = {last, end(j, head, last, rest)};
        free_ += joint + next++->bytes;
        next->bytes = 0;
    }

    const uint8_t *end() const { return free_; }

    // The block that HMAC's outer hash reads, but for the digest at its beginning.
    size_t outer(uint8_t *block) const {
        memset(block, 0, MOST_BLOCK);
        return hash_pad(hash_, block, hash_.digest_bytes, uint64_t(unit_) + hash_.digest_bytes);
    }

private:
    size_t put_head(const cst_job &job, uint8_t *to) const {
        if (single_) return 0;
        const size_t aad = esp_ ? ESP_HEADER : job.aad_len;
        copy_few(to, static_cast<const uint8_t *>(job.aad), aad);
        memcpy(to + aad, job.iv, IV_BYTES);
        return aad + IV_BYTES;
    }

    size_t end(const cst_job &job, size_t head, uint8_t *to, size_t used) const {
        const size_t trailer = esp_ ? put_trailer(suite_, job, to + used) : 0;
        return hash_pad(hash_, to, used + trailer, before_ + head + job.in_len + trailer);
    }

    static constexpr size_t MOST_END = MOST_BLOCK + AAD_LENGTH_BYTES;  // trailer and padding

    const Suite &suite_;
    const AlgorithmRecord &hash_;
    const size_t unit_, before_;
    const bool single_, esp_;
    uint8_t *free_;  // where the next job's blocks begin. What padding writes too much is overwritten by them
};

void run_hash(const ShortBatch &batch, bool sealed) {
    Messages messages(batch);
    run_jobs(batch, batch.suite->hashes, [&](ShortJob &job) {
        messages.set(&job, static_cast<const uint8_t *>(sealed ? job.job->out : job.job->in));
        return true;
    });
    Arena &arena = *batch.arena;
    arena.short_blocks_used = std::max(arena.short_blocks_used, size_t(messages.end() - arena.short_blocks));
    if (!batch.suite->mac()) return;
    const AlgorithmRecord &hash = batch.suite->hash->record;
    uint8_t block[MOST_BLOCK + PAD_SLACK];
    const size_t bytes = messages.outer(block);
    run_jobs(batch, batch.suite->hashes, [&](ShortJob &job) {
        memcpy(job.blocks, block, 64);
        if (bytes != 64) memcpy(job.blocks + 64, block + 64, MOST_BLOCK - 64);
        hash_digest(hash, job.chain, job.blocks, hash.digest_bytes);
        job.item.hash_in = job.blocks;
        job.item.hash_from = job.key->outer;
        job.item.bytes = bytes;
        return true;
    });
}

// The right tag of a forged message is a secret.
void check_tag(const AlgorithmRecord &hash, ShortJob *job) {
    cst_job &j = *job->job;
    hash_digest(hash, job->chain, job->blocks, j.tag_len);
    if (same_bytes(job->blocks, static_cast<const uint8_t *>(j.tag), j.tag_len)) return;
    job->failed = true;
    j.status = CST_ERR_AUTH;
    j.out_len = 0;
    if (j.out) wipe(j.out, j.in_len);
}

}  // namespace

bool takes_short_jobs(const Suite &suite) {
    if (suite.forced || suite.expansion || suite.counts() || suite.half_blocks() || (suite.kind == CST_AEAD && suite.iv_bytes != IV_BYTES)) return false;
    if (suite.hash) {
        const AlgorithmRecord &hash = suite.hash->record;
        if (hash.kind != ALGORITHM_HASH || hash.block_bytes > MOST_BLOCK || hash.block_bytes & (hash.block_bytes - 1)) return false;
    }
    switch (suite.construction) {
        case Construction::single:
        case Construction::etm:
        case Construction::esp: return true;
        default: return false;
    }
}

bool pairs_are_better(const Suite &suite, int direction, bool one_key, size_t n, uint64_t mean) {
    const auto has = [&](const Family &family) {
        if (family.variants.empty()) return false;
        Phase phase;
        phase.suite = &suite;
        phase.family = &family;
        phase.one_key = one_key;
        phase.pair = true;
        return decide(phase, query_of(phase, n, mean, family.needs.back())) != nullptr;
    };
    return direction == CST_SEAL ? has(suite.pairs) : has(suite.handed_open_pairs) || has(suite.open_pairs);
}

void leave_to_pairs(ShortBatch *batch) {
    const Suite &suite = *batch->suite;
    if (suite.kind != CST_AEAD) return;
    const auto stays = [&](const cst_job &job) { return job.in_len <= SHORT_BLOCKS || fits_whole(suite, head_bytes(suite, job.aad_len), job.in_len); };
    size_t n = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < batch->n; i++) {
        const cst_job &job = *batch->jobs[i].job;
        if (stays(job)) continue;
        n++;
        sum += job.in_len;
    }
    if (!n || 2 * n < batch->n || !pairs_are_better(suite, batch->jobs[0].job->direction, batch->one_key, n, sum / n)) return;  // a few among many share lanes with those
    size_t left = 0;
    for (size_t i = 0; i < batch->n; i++)
        if (stays(*batch->jobs[i].job)) batch->jobs[left++].take(batch->jobs[i].job, batch->jobs[i].key);
    batch->n = left;
}

void seal_short_jobs(const ShortBatch &batch) {
    const Suite &suite = *batch.suite;
    if (suite.enciphers()) run_cipher(batch, false);
    if (suite.hash) run_hash(batch, suite.enciphers());
    for (size_t i = 0; i < batch.n; i++) {
        cst_job &job = *batch.jobs[i].job;
        if (suite.hash) hash_digest(suite.hash->record, batch.jobs[i].chain, static_cast<uint8_t *>(job.tag), job.tag_len);
        job.out_len = suite.enciphers() ? job.in_len : 0;
        job.status = CST_OK;
    }
}

bool open_short_jobs(const ShortBatch &batch) {
    const Suite &suite = *batch.suite;
    bool all = true;
    if (suite.hash) run_hash(batch, false);
    for (size_t i = 0; i < batch.n; i++) {
        cst_job &job = *batch.jobs[i].job;
        job.out_len = suite.enciphers() ? job.in_len : 0;
        job.status = CST_OK;
        if (suite.hash) check_tag(suite.hash->record, &batch.jobs[i]);
        all &= !batch.jobs[i].failed;
    }
    if (suite.enciphers()) run_cipher(batch, true);
    return all;
}

}  // namespace cst
