// Encrypt, authenticate, or both in one pass.
//
// The stitched middle of an encrypt-then-MAC job. Let p be the body's bytes that fill up the hash block in which the head ends, and c
// the cipher's position, a multiple of 16. A pair kernel's hash lags one iteration (B bytes) behind its cipher: in the call's iteration i
// it reads body bytes [p + iB, p + (i + 1)B) while the cipher, in iteration i + 1, writes from c + (i + 1)B on. So what it reads was
// written in earlier iterations if and only if p <= c. Therefore the cipher first runs alone up to c = p rounded up to 16, the head block
// is hashed, and the pair starts from there. Where c = p (heads of a multiple of 16 bytes) both stand at the same byte, and kernels that hand
// the ciphertext over in the state block can run too.

#include <cstring>

#include "../suite/secret.hpp"
#include "copy.hpp"
#include "work.hpp"

namespace cst {
namespace {

uint64_t start_of_pair(const Work &work) { return (uint64_t(work.boundary) + 15) & ~uint64_t(15); }
bool is_aligned(const Work &work) { return work.boundary % 16 == 0; }

Phase pair_phase(const Batch &batch, bool aligned) {
    Phase phase;
    phase.suite = batch.suite;
    phase.family = &batch.suite->pairs;
    phase.one_key = batch.one_key;
    phase.aligned = aligned;
    phase.pair = true;
    return phase;
}

// Marks the works whose middle a pair kernel will do; returns the choice.
const Variant *choose_pairs(const Batch &batch, bool aligned) {
    if (batch.suite->pairs.variants.empty()) return nullptr;
    const uint64_t need = batch.suite->pairs.needs.front();
    auto fits = [&](const Work &work) { return !work.whole && is_aligned(work) == aligned && work.bulk >= start_of_pair(work) + need; };
    size_t n = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < batch.n; i++) {
        if (!fits(batch.works[i])) continue;
        n++;
        sum += batch.works[i].bulk - start_of_pair(batch.works[i]);
    }
    if (!n) return nullptr;
    const Phase phase = pair_phase(batch, aligned);
    const Variant *choice = decide(phase, query_of(phase, n, sum / n, need));
    for (size_t i = 0; choice && i < batch.n; i++)
        if (fits(batch.works[i])) batch.works[i].paired = true;
    return choice;
}

void run_pairs(const Batch &batch, bool aligned, const Variant *choice) {
    Item *items = batch.arena->items;
    size_t n = 0;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (!work.paired || is_aligned(work) != aligned) continue;
        Item &item = items[n++];
        item = Item();
        item.in = static_cast<const uint8_t *>(work.job->in) + work.ciphered;
        item.out = static_cast<uint8_t *>(work.job->out) + work.ciphered;
        item.hash_in = work.body + work.hashed;
        item.cipher_chain = work.chain;
        item.hash_chain = work.hash_chain;
        item.round_keys = work.key->encrypt[0];
        item.bytes = work.bulk - work.ciphered;
        item.owner = &work;
    }
    if (!n) return;
    Phase phase = pair_phase(batch, aligned);
    phase.first = choice;
    run_phase(phase, &batch.arena->lanes, items, batch.arena->order, n);
    for (size_t i = 0; i < n; i++) {
        Work &work = *static_cast<Work *>(items[i].owner);
        work.ciphered += items[i].done;
        work.hashed += items[i].done;
    }
}

void run_last_blocks(const Batch &batch) {
    Item *items = batch.arena->items;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        Item &item = items[i];
        item = Item();
        item.in = work.last;
        item.out = static_cast<uint8_t *>(work.job->out) + work.bulk;
        item.cipher_chain = work.chain;
        item.round_keys = work.key->encrypt[0];
        item.bytes = sizeof(work.last);
    }
    Phase phase;
    phase.suite = batch.suite;
    phase.family = &batch.suite->encrypts;
    phase.one_key = batch.one_key;
    run_phase(phase, &batch.arena->lanes, items, batch.arena->order, batch.n);
}

// Cuts the input into whole blocks and, where the suite pads, a last block made of the rest and PKCS#7.
void begin_cipher(const Suite &suite, Work *work) {
    const cst_job &job = *work->job;
    memcpy(work->chain, job.iv, sizeof(work->chain));
    work->bulk = job.in_len & ~uint64_t(15);
    work->body = static_cast<const uint8_t *>(job.out);
    work->body_bytes = work->bulk;
    if (!suite.profile) return;
    const size_t rest = job.in_len % 16;
    if (rest) memcpy(work->last, static_cast<const uint8_t *>(job.in) + work->bulk, rest);
    memset(work->last + rest, int(16 - rest), 16 - rest);
    work->body_bytes += 16;
}

void write_tags(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        uint8_t digest[DIGEST_ROOM];
        read_tag(batch.works[i], digest);
        copy_few(static_cast<uint8_t *>(batch.works[i].job->tag), digest, batch.works[i].job->tag_len);
        wipe(digest, sizeof(digest));  // a tag may be only a part of it
    }
}

}  // namespace

void seal_batch(const Batch &batch) {
    const Suite &suite = *batch.suite;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (suite.hash) memcpy(work.hash_chain, work.key->inner, sizeof(work.hash_chain));
        if (suite.enciphers()) {
            begin_cipher(suite, &work);
        } else {
            work.body = static_cast<const uint8_t *>(work.job->in);
            work.body_bytes = work.ready = work.job->in_len;
        }
    }
    if (suite.hash) find_wholes(batch);
    if (suite.enciphers()) {
        const Variant *aligned = nullptr, *unaligned = nullptr;
        if (suite.kind == CST_AEAD) {
            find_boundaries(batch);
            aligned = choose_pairs(batch, true);
            unaligned = choose_pairs(batch, false);
        }
        run_cipher(batch, suite.encrypts, false, [](const Work &work) { return work.paired ? start_of_pair(work) : work.bulk; });
        if (suite.kind == CST_AEAD) {
            for (size_t i = 0; i < batch.n; i++) batch.works[i].ready = batch.works[i].ciphered;
            hash_heads(batch);
            run_pairs(batch, true, aligned);
            run_pairs(batch, false, unaligned);
            run_cipher(batch, suite.encrypts, false, [](const Work &work) { return work.bulk; });
        }
        if (suite.profile) run_last_blocks(batch);
    }
    if (suite.hash) {
        hash_bodies(batch);
        hash_finish(batch);
        write_tags(batch);
    }
    for (size_t i = 0; i < batch.n; i++) {
        cst_job &job = *batch.works[i].job;
        job.out_len = suite.enciphers() ? size_t(batch.works[i].body_bytes) : 0;
        job.status = CST_OK;
    }
}

}  // namespace cst
