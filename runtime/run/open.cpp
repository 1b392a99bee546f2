// Check, then decrypt; of what a pair kernel takes, both in one pass (why that is right, in place too, stands in stitch.cpp). The plaintext of a
// message that turns out to be forged is zeroed before the burst ends.

#include <cstring>

#include "../suite/secret.hpp"
#include "work.hpp"

namespace cst {

void open_stitched(const Batch &batch) {
    const Suite &suite = *batch.suite;
    Middle handed = {&suite.handed_open_pairs, true, true, true}, ahead = {&suite.open_pairs, false, true, true};
    choose_middle(batch, &handed);
    choose_middle(batch, &ahead);
    make_heads(batch);
    if (!handed.choice && !ahead.choice) return;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const Middle &middle = work.aligned ? handed : ahead;
        work.hash_end = work.paired ? hash_start(work, middle) : work.hashed;
        work.cipher_end = work.paired ? cipher_start(work, middle) : 0;
    }
    hash_bodies(batch);
    run_cipher(batch, true);
    run_middle(batch, handed);
    run_middle(batch, ahead);
}

void remove_padding(Work *work) {
    uint8_t block[16];
    work->out.read(work->bulk - sizeof(block), block, sizeof(block));
    const uint32_t padding = padding_bytes(block);
    wipe(block, sizeof(block));
    if (!padding) {
        fail(work);
        return;
    }
    work->job->out_len = work->bulk - padding;
    work->out.zero(work->job->out_len, padding);
}

void check_tags(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        uint8_t digest[DIGEST_ROOM];
        read_tag(work, digest, work.job->tag_len);
        if (!same_bytes(digest, static_cast<const uint8_t *>(work.job->tag), work.job->tag_len)) fail(&work);
        wipe(digest, sizeof(digest));  // the right tag of a forged message is a secret
    }
}

void fail(Work *work) {
    work->failed = true;
    work->job->status = CST_ERR_AUTH;
    work->job->out_len = 0;
    if (work->key->suite->enciphers()) work->out.zero(0, work->job->in_len);
}

void open_batch(const Batch &batch) {
    const Suite &suite = *batch.suite;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        cst_job &job = *work.job;
        job.status = CST_OK;
        job.out_len = suite.enciphers() ? job.in_len : 0;
        work.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        work.body = &work.in;
        work.body_bytes = work.ready = job.in_len;
        if (!suite.enciphers()) continue;
        work.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
        work.counts_far = suite.counts();
        work.bulk = job.in_len & ~((work.counts_far ? COUNTER_STRIDE : 16) - 1);
    }
    if (suite.hash) {
        if (!lay_out(batch) && suite.kind == CST_AEAD) open_stitched(batch);
        for (size_t i = 0; i < batch.n; i++) batch.works[i].hash_end = batch.works[i].body_bytes;
        hash_finish(batch);
        check_tags(batch);
    }
    if (!suite.enciphers()) return;
    for (size_t i = 0; i < batch.n; i++) batch.works[i].cipher_end = batch.works[i].bulk;
    run_cipher(batch, true);
    if (suite.counts()) run_rests(batch, REST_BESIDE_HASH);
    if (suite.half_blocks()) run_half(batch, true);
    if (!suite.expansion) return;
    for (size_t i = 0; i < batch.n; i++)
        if (!batch.works[i].failed) remove_padding(&batch.works[i]);
}

}  // namespace cst
