// Ciphers in counter mode, where sealing and opening are the same: whole blocks where they lie, the rest through a padded block.
//
// Kernels count in 32 bits (as GCM does), the suites in 128 (SP 800-38A, B.1): a run ends where the 32 bits wrap, and the carry is added here.

#include <algorithm>
#include <cstring>

#include "alone.hpp"
#include "direct.hpp"

namespace cst {
namespace {

uint32_t low_word(const uint8_t *block) { return uint32_t(block[12]) << 24 | uint32_t(block[13]) << 16 | uint32_t(block[14]) << 8 | block[15]; }

}  // namespace

size_t counter_room(size_t bytes) {
    return bytes <= 16 ? 16 : bytes <= 64 ? 64 : bytes <= 128 ? 128 : (bytes + COUNTER_STRIDE - 1) & ~(COUNTER_STRIDE - 1);
}

uint64_t before_carry(const Work &work) { return work.counts_far ? ((uint64_t(1) << 32) - low_word(work.item.cipher_from)) * 16 : UINT64_MAX; }

void carry(Work *work) {
    if (!work->counts_far || low_word(work->chain) != 0) return;
    for (int i = 11; i >= 0 && ++work->chain[i] == 0; i--) {
    }
}

void run_rests(const Batch &batch, size_t at) {
    Item **items = batch.arena->items;
    size_t n = 0;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const uint64_t rest = work.failed ? 0 : work.job->in_len - work.ciphered, bytes = counter_room(rest);
        if (!rest) continue;
        Item &item = work.item;
        work.in.read(work.ciphered, work.blocks + at, rest);
        memset(work.blocks + at + rest, 0, bytes - rest);
        work.use_blocks(at + bytes);
        item.in = item.out = work.blocks + at;
        item.bytes = (rest + 15) & ~uint64_t(15);
        if (before_carry(work) >= bytes) item.bytes = bytes;
        items[n++] = &item;
    }
    const size_t all = n;
    while (n) {
        size_t more = 0;
        for (size_t i = 0; i < n; i++) {
            Work &work = *static_cast<Work *>(items[i]->owner);
            work.last_bytes = uint32_t(items[i]->bytes);
            items[i]->bytes = std::min(items[i]->bytes, before_carry(work));
            work.last_bytes -= uint32_t(items[i]->bytes);
        }
        run_items(batch, batch.suite->encrypts, n);
        for (size_t i = 0; i < n; i++) {
            Work &work = *static_cast<Work *>(items[i]->owner);
            carry(&work);
            items[i]->bytes = work.last_bytes;
            if (work.last_bytes) std::swap(items[more++], items[i]);
        }
        n = more;
    }
    for (size_t i = 0; i < all; i++) {
        Work &work = *static_cast<Work *>(items[i]->owner);
        work.out.write(work.ciphered, work.blocks + at, work.job->in_len - work.ciphered);
        work.ciphered = work.job->in_len;
    }
}

void counter_batch(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        cst_job &job = *work.job;
        work.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        work.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
        work.counts_far = true;
        work.cipher_end = job.in_len & ~(COUNTER_STRIDE - 1);
    }
    run_cipher(batch, false);
    run_rests(batch, 0);
    for (size_t i = 0; i < batch.n; i++) {
        cst_job &job = *batch.works[i].job;
        text_done(&job);
    }
}

bool counter_takes(const cst_job &job) {
    if (job.n_in_pieces || job.n_out_pieces) return false;
    const uint64_t before = (uint64_t(1) << 32) - low_word(static_cast<const uint8_t *>(job.iv));
    return job.in_len + COUNTER_STRIDE <= before * 16;  // no carry, nor where the last call counts on
}

int counter_direct(Arena *arena, const Suite &suite, int direction, cst_job *jobs, size_t n) {
    Alone alone(suite, &arena->lanes, one_key(jobs, n));
    if (!alone.usable()) return CST_OK;
    Work *work = arena->begin(0);
    alone.take(work);
    each_waiting(suite, direction, jobs, n, counter_takes, [&](cst_job *job) {
        work->item.round_keys = key_of(*job).encrypt[0];
        memcpy(work->chain, job->iv, sizeof(work->chain));
        alone.text(static_cast<const uint8_t *>(job->in), static_cast<uint8_t *>(job->out), job->in_len);
        text_done(job);
    });
    return CST_OK;
}

}  // namespace cst
