// TLS records (RFC 5246, 6.2.3.2): MAC over head and text, then text, MAC and padding encrypted. The stitched middle has the hash ahead of
// the cipher, which may overwrite the text (stitch.cpp).

#include <cstring>

#include "../suite/secret.hpp"
#include "work.hpp"

namespace cst {
namespace {

void begin(Work *work) {
    const cst_job &job = *work->job;
    work->in = work->body = Buffer(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
    work->out = Buffer(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
    work->bulk = job.in_len & ~uint64_t(15);
    work->body_bytes = work->ready = job.in_len;
    work->record_length[0] = uint8_t(job.in_len >> 8);
    work->record_length[1] = uint8_t(job.in_len);
    memcpy(work->chain, job.iv, sizeof(work->chain));
    memcpy(work->hash_chain, work->key->inner, sizeof(work->hash_chain));
}

// The end of the text, the MAC and the padding: bytes that all tell how many others there are.
void make_last(const Suite &suite, Work *work) {
    const size_t rest = work->job->in_len % 16, mac = suite.hash->record.digest_bytes;
    const size_t padding = 16 - (rest + mac) % 16;
    uint8_t digest[DIGEST_ROOM];
    read_tag(*work, digest);
    work->in.read(work->bulk, work->last, rest);
    memcpy(work->last + rest, digest, mac);
    memset(work->last + rest + mac, int(padding - 1), padding);
    work->last_bytes = uint32_t(rest + mac + padding);
    wipe(digest, sizeof(digest));
}

}  // namespace

void seal_records(const Batch &batch) {
    const Suite &suite = *batch.suite;
    for (size_t i = 0; i < batch.n; i++) begin(&batch.works[i]);
    find_wholes(batch);
    find_boundaries(batch);
    Middle middle = {&suite.pairs, false, true};
    choose_middle(batch, &middle);
    hash_heads(batch);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.hash_end = work.paired ? hash_start(work, middle) : work.body_bytes;
    }
    hash_bodies(batch);
    run_middle(batch, middle);
    for (size_t i = 0; i < batch.n; i++) batch.works[i].hash_end = batch.works[i].body_bytes;
    hash_bodies(batch);
    hash_finish(batch);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        make_last(suite, &work);
        work.cipher_end = work.bulk;
    }
    run_cipher(batch, false);
    run_last(batch);
    for (size_t i = 0; i < batch.n; i++) {
        cst_job &job = *batch.works[i].job;
        job.out_len = size_t(batch.works[i].bulk) + batch.works[i].last_bytes;
        job.status = CST_OK;
    }
}

}  // namespace cst
