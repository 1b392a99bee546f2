// TLS records (RFC 5246, 6.2.3.2): MAC over head and text, then text, MAC and padding encrypted. The stitched middle has the hash ahead of
// the cipher, which may overwrite the text (stitch.cpp).

#include <cstring>

#include "work.hpp"

namespace cst {

static_assert((15 + TLS_MOST_MAC) / 16 * 16 + 16 <= MOST_LAST, "text, MAC and padding have room");

void begin_record(Work *work) {
    const cst_job &job = *work->job;
    work->in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
    work->body = &work->in;
    work->out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
    work->bulk = job.in_len & ~uint64_t(15);
    work->body_bytes = work->ready = job.in_len;
    work->record_length[0] = uint8_t(job.in_len >> 8);
    work->record_length[1] = uint8_t(job.in_len);
}

void end_record(const Suite &suite, Work *work) {
    const size_t rest = work->job->in_len % 16, mac = suite.hash->record.digest_bytes;
    const size_t padding = 16 - (rest + mac) % 16;
    work->in.read(work->bulk, work->last, rest);
    read_tag(*work, work->last + rest, mac);
    memset(work->last + rest + mac, int(padding - 1), padding);
    work->last_bytes = uint32_t(rest + mac + padding);
}

void seal_records(const Batch &batch) {
    const Suite &suite = *batch.suite;
    for (size_t i = 0; i < batch.n; i++) begin_record(&batch.works[i]);
    lay_out(batch);
    Middle middle = {&suite.pairs, false, true, false};
    choose_middle(batch, &middle);
    make_heads(batch);
    if (middle.choice) {
        for (size_t i = 0; i < batch.n; i++) {
            Work &work = batch.works[i];
            work.hash_end = work.paired ? hash_start(work, middle) : work.hashed;
        }
        hash_bodies(batch);
        run_middle(batch, middle);
    }
    for (size_t i = 0; i < batch.n; i++) batch.works[i].hash_end = batch.works[i].body_bytes;
    hash_finish(batch);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        end_record(suite, &work);
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
