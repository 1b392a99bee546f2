// ChaCha20 over the jobs of a batch (RFC 8439): what the cipher alone and the AEAD share.
#pragma once

#include "work.hpp"

namespace cst {

// What one call does well at once. What is left over behind whole strides goes through `blocks`, padded.
constexpr size_t CHACHA_STRIDE = 256;
// Bytes of the AEAD's text in the first call, behind the block of Poly1305's key: all of a short text; of a long one what leaves whole iterations of the
// widest kernels, and less than a block.
constexpr size_t CHACHA_MOST_FIRST = (CHACHA_MOST_BLOCKS - 1) * CHACHA_BLOCK;
constexpr uint64_t chacha_first(uint64_t bytes) { return bytes <= CHACHA_MOST_FIRST ? bytes : bytes % (CHACHA_MOST_BLOCKS * CHACHA_BLOCK) & ~(CHACHA_BLOCK - 1); }

// Poly1305, core cycles, measured on Zen 4: of a block without a kernel, and of the powers that a kernel wants. Shorter stretches pay for no kernel.
constexpr double POLY_ONE_BLOCK = 19.5, POLY_POWERS = 200;
constexpr uint64_t POLY_LEAST = 256;
// Opening stitched, the hash goes one stretch ahead: texts of fewer stretches lose by the two more sets of powers. On Zen 4 four lose with AVX2 and AVX-512, eight win.
constexpr uint64_t POLY_OPENING_STRETCHES = 6;
inline uint64_t poly_opening_least(const Suite &suite) { return suite.pairs.variants.empty() ? 0 : POLY_OPENING_STRETCHES * suite.pairs.needs.front(); }

// The next `bytes` bytes (a multiple of a block; zeros behind the text) of `blocks` of every work that `bytes(work)` is not 0 for.
template <typename Bytes>
void run_chacha_blocks(const Batch &batch, Bytes bytes) {
    Item **items = batch.arena->items;
    size_t n = 0;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.item.bytes = bytes(&work);
        if (!work.item.bytes) continue;
        work.item.in = work.item.out = work.blocks;
        work.use_blocks(work.item.bytes);
        items[n++] = &work.item;
    }
    run_items(batch, batch.suite->encrypts, n);
}
// Every work that has not failed, from `ciphered` to the end of its text. The counter does not wrap.
void run_chacha(const Batch &batch);

}  // namespace cst
