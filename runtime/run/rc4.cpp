// RC4 (sealing and opening are the same), and encrypt-then-MAC with it. Every job begins with the state that its key gives. Kernels run whole blocks of 16
// bytes; what is left goes through a block that is filled up, after which the state is not needed any more.

#include "rc4.hpp"

#include <cstring>

#include "../suite/rc4.hpp"

namespace cst {
namespace {

void begin(const Batch &batch, size_t i) {
    Work &work = batch.works[i];
    cst_job &job = *work.job;
    work.item.cipher_from = work.key->rc4;
    work.item.cipher_chain = batch.arena->table(i);
    work.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
    work.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
    work.bulk = job.in_len & ~uint64_t(15);
    work.last_bytes = uint32_t(job.in_len & 15);
    work.body_bytes = job.in_len;
    text_done(&job);
}

// From where the cipher stands to the end.
void finish(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) batch.works[i].cipher_end = batch.works[i].bulk;
    run_cipher(batch, false);
    size_t n = 0;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (work.failed || !work.last_bytes) continue;
        memset(work.last, 0, 16);
        work.in.read(work.bulk, work.last, work.last_bytes);
        work.item.in = work.item.out = work.last;
        work.item.bytes = 16;
        batch.arena->items[n++] = &work.item;
    }
    run_items(batch, batch.suite->encrypts, n);
    for (size_t i = 0; i < n; i++) {
        Work &work = *static_cast<Work *>(batch.arena->items[i]->owner);
        work.out.write(work.bulk, work.last, work.last_bytes);
    }
}

}  // namespace

void rc4_batch(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) begin(batch, i);
    finish(batch);
}

void seal_rc4_hmac(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        begin(batch, i);
        batch.works[i].body = &batch.works[i].out;
    }
    if (!lay_out(batch)) encrypt_stitched(batch);
    finish(batch);
    for (size_t i = 0; i < batch.n; i++) batch.works[i].hash_end = batch.works[i].body_bytes;
    hash_finish(batch);
    write_tags(batch);
}

void open_rc4_hmac(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        begin(batch, i);
        work.body = &work.in;
        work.ready = work.body_bytes;
    }
    if (!lay_out(batch)) open_stitched(batch);
    for (size_t i = 0; i < batch.n; i++) batch.works[i].hash_end = batch.works[i].body_bytes;
    hash_finish(batch);
    check_tags(batch);
    finish(batch);
}

}  // namespace cst
