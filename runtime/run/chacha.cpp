// ChaCha20 as a cipher. The IV is 16 bytes: the block counter, little-endian, and the nonce. Kernels count in 32 bits; where they wrap the carry goes into
// the next word, so that the counter may as well have 64 bits, as in the original ChaCha and in OpenSSL.

#include "chacha.hpp"

#include <algorithm>
#include <cstring>

namespace cst {
namespace {

// Bytes until the 32 bits wrap.
uint64_t before_wrap(const Work &work) {
    uint32_t counter;
    memcpy(&counter, work.item.cipher_from, sizeof(counter));
    return ((uint64_t(1) << 32) - counter) * CHACHA_BLOCK;
}

void carry_into_nonce(Work *work) {
    uint32_t words[2];
    memcpy(words, work->chain, sizeof(words));
    words[0] = 0;  // the last call may have counted farther
    words[1]++;
    memcpy(work->chain, words, sizeof(words));
}

}  // namespace

void run_chacha(const Batch &batch) {
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.cipher_end = work.ciphered + (work.bulk - work.ciphered) / CHACHA_STRIDE * CHACHA_STRIDE;
    }
    run_cipher(batch, false);
    run_chacha_blocks(batch, [&](Work *work) -> size_t {
        const size_t rest = work->failed ? 0 : size_t(work->bulk - work->ciphered);
        if (!rest) return 0;
        const size_t bytes = chacha_room(*batch.suite, batch.n, rest);
        work->in.read(work->ciphered, work->blocks, rest);
        memset(work->blocks + rest, 0, bytes - rest);
        return bytes;
    });
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (work.failed || work.bulk == work.ciphered) continue;
        work.out.write(work.ciphered, work.blocks, size_t(work.bulk - work.ciphered));
        work.ciphered = work.bulk;
    }
}

void chacha_batch(const Batch &batch) {
    bool wraps = false;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const cst_job &job = *work.job;
        work.in.set(job.in, job.in_len, job.in_pieces, job.n_in_pieces);
        work.out.set(job.out, job.out_cap, job.out_pieces, job.n_out_pieces);
        work.bulk = std::min<uint64_t>(job.in_len, before_wrap(work));
        wraps |= work.bulk < job.in_len;
    }
    run_chacha(batch);
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        cst_job &job = *work.job;
        while (wraps && work.bulk < job.in_len) {
            carry_into_nonce(&work);
            const uint64_t left = job.in_len - work.bulk;
            work.bulk += std::min(left, before_wrap(work));
            const Batch alone = {batch.suite, batch.arena, &work, 1, true};
            run_chacha(alone);
        }
        text_done(&job);
    }
}

}  // namespace cst
