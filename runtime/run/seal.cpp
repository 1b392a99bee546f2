// Encrypt, authenticate, or both in one pass (encrypt-then-MAC; how, and why that is right, stands in stitch.cpp).

#include <cstring>

#include "../suite/secret.hpp"
#include "work.hpp"

namespace cst {
namespace {

// Cuts the input into whole blocks and, where the suite pads, a last block made of the rest and PKCS#7.
void begin_cipher(const Suite &suite, Work *work) {
    const cst_job &job = *work->job;
    work->counts_far = suite.counts();
    work->bulk = job.in_len & ~((work->counts_far ? COUNTER_STRIDE : 16) - 1);
    work->out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
    work->body = &work->out;
    work->body_bytes = job.in_len;
    if (!suite.expansion) return;
    work->body_bytes = work->bulk + 16;
    const size_t rest = job.in_len % 16;
    work->in.read(work->bulk, work->last, rest);
    pkcs7_fill(work->last, rest);
    work->last_bytes = 16;
}

void encrypt_all(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) batch.works[i].cipher_end = batch.works[i].bulk;
    run_cipher(batch, false);
}

}  // namespace

void write_tags(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        const cst_job &job = *batch.works[i].job;
        read_tag(batch.works[i], static_cast<uint8_t *>(job.tag), job.tag_len);
    }
}

void encrypt_stitched(const Batch &batch) {
    const Suite &suite = *batch.suite;
    Middle aligned = {&suite.pairs, true, false, false}, unaligned = {&suite.pairs, false, false, false};
    choose_middle(batch, &aligned);
    choose_middle(batch, &unaligned);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.cipher_end = work.paired ? cipher_start(work, aligned) : work.bulk;
    }
    run_cipher(batch, false);
    for (size_t i = 0; i < batch.n; i++) batch.works[i].ready = batch.works[i].ciphered;
    make_heads(batch);
    if (!aligned.choice && !unaligned.choice) return;
    for (size_t i = 0; i < batch.n; i++) batch.works[i].hash_end = batch.works[i].hashed;
    hash_bodies(batch);
    run_middle(batch, aligned);
    run_middle(batch, unaligned);
    encrypt_all(batch);
}

void seal_batch(const Batch &batch) {
    const Suite &suite = *batch.suite;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const cst_job &job = *work.job;
        work.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        if (suite.enciphers()) {
            begin_cipher(suite, &work);
        } else {
            work.body = &work.in;
            work.body_bytes = work.ready = job.in_len;
        }
    }
    const bool whole = suite.hash && lay_out(batch);
    if (suite.enciphers()) (suite.kind == CST_AEAD && !whole ? encrypt_stitched : encrypt_all)(batch);
    if (suite.expansion) run_last(batch);
    if (suite.counts()) run_rests(batch, REST_BESIDE_HASH);
    if (suite.half_blocks()) run_half(batch, false);
    if (suite.hash) {
        for (size_t i = 0; i < batch.n; i++) batch.works[i].hash_end = batch.works[i].body_bytes;
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
