// Check, then decrypt. No plaintext is written before the tag has been found right.

#include <cstring>

#include "../suite/secret.hpp"
#include "work.hpp"

namespace cst {
namespace {

void check_tags(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        uint8_t digest[DIGEST_ROOM];
        read_tag(work, digest, work.job->tag_len);
        if (!same_bytes(digest, static_cast<const uint8_t *>(work.job->tag), work.job->tag_len)) fail(&work);
        wipe(digest, sizeof(digest));  // the right tag of a forged message is a secret
    }
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

}  // namespace

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
        work.body_bytes = work.ready = work.hash_end = job.in_len;
        if (!suite.enciphers()) continue;
        work.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
        work.bulk = work.cipher_end = job.in_len;
    }
    if (suite.hash) {
        if (!lay_out(batch) && suite.kind == CST_AEAD) make_heads(batch);
        hash_finish(batch);
        check_tags(batch);
    }
    if (!suite.enciphers()) return;
    run_cipher(batch, true);
    if (!suite.expansion) return;
    for (size_t i = 0; i < batch.n; i++)
        if (!batch.works[i].failed) remove_padding(&batch.works[i]);
}

}  // namespace cst
