// ChaCha20 over the jobs of a batch (RFC 8439): what the cipher alone and the AEAD share.
#pragma once

#include "../suite/poly1305_wide.hpp"
#include "call.hpp"
#include "copy.hpp"
#include "work.hpp"

namespace cst {

// What one call does well at once. What is left over behind whole strides goes through `blocks`, padded.
constexpr size_t CHACHA_STRIDE = 256;
// Bytes of the AEAD's text in the first call, behind the block of Poly1305's key: all of a short text; of a long one what leaves whole iterations of the
// widest kernels, and less than a block.
constexpr size_t CHACHA_MOST_FIRST = (CHACHA_MOST_BLOCKS - 1) * CHACHA_BLOCK;
constexpr uint64_t chacha_first(uint64_t bytes) { return bytes <= CHACHA_MOST_FIRST ? bytes : bytes % (CHACHA_MOST_BLOCKS * CHACHA_BLOCK) & ~(CHACHA_BLOCK - 1); }

// Counter and nonce, at once: kernels load them so.
inline void put_chacha_counter(uint8_t *to, uint32_t counter, const uint8_t *nonce) {
    uint32_t first;
    uint64_t others;
    memcpy(&first, nonce, sizeof(first));
    memcpy(&others, nonce + sizeof(first), sizeof(others));
    put_words(to, uint64_t(first) << 32 | counter, others);
}

// A text, and the 32 bytes of its key, in a lane of a kernel whose rows of the key lie so far apart.
__attribute__((always_inline)) inline void put_chacha_lane(uint8_t *state, const LanePlace &at, size_t row, const uint8_t *in, const uint8_t *out, uint32_t counter, const uint8_t *nonce,
                                                           const uint8_t *key) {
    put_pointer(state + at.in, in);
    put_pointer(state + at.out, out);
    put_chacha_counter(state + at.chain, counter, nonce);
    memcpy(state + at.key, key, 16);
    memcpy(state + at.key + row, key + 16, 16);
}

// Kernels of Poly1305 over one message, whose rows of the key, and words of the accumulator, lie together.
inline bool poly1305_serves(const Variant &v) {
    return v.lanes == 1 && !v.lag && v.hash.key_row_bytes == 16 && v.hash.chain_row_bytes == 8 && v.hash.key_rows <= POLY_MOST_ROWS;
}

// Poly1305 of whole blocks without a kernel.
inline void poly1305_absorb(const Suite &suite, const PolyKey &key, uint64_t *accumulator, const uint8_t *in, uint64_t blocks) {
    (suite.wide && blocks >= POLY_WIDE_LEAST ? poly1305_wide : poly1305_blocks)(key, accumulator, in, blocks);
}
// By a kernel that serves, whose state has the powers. Returns how many bytes, whole iterations.
inline uint64_t poly1305_on(const Variant &v, uint8_t *state, uint64_t *accumulator, const uint8_t *in, uint64_t bytes) {
    const LanePlace &at = v.hash.lanes[0];
    copy_three_words(state + at.chain, reinterpret_cast<const uint8_t *>(accumulator));
    put_pointer(state + at.in, in);
    call_kernel(v, state, bytes);
    copy_three_words(reinterpret_cast<uint8_t *>(accumulator), state + at.chain);
    return bytes >> v.step_log2 << v.step_log2;
}
// What poly1305_absorb takes, in core cycles, measured on Zen 4.
inline double poly1305_cycles(const Suite &suite, double blocks) {
    return suite.wide && blocks >= double(POLY_WIDE_LEAST) ? 160 + 4 * blocks : 19.5 * blocks;
}
// What the powers take that a kernel wants. Shorter stretches pay for no kernel.
constexpr double POLY_POWERS = 200;
constexpr uint64_t POLY_LEAST = 256;
// Opening stitched, the hash goes one stretch ahead: texts of fewer stretches lose by the two more sets of powers. On Zen 4 four lose with AVX2 and AVX-512, eight win.
constexpr uint64_t POLY_OPENING_STRETCHES = 6;
inline uint64_t poly_opening_least(const Suite &suite) { return suite.pairs.variants.empty() ? 0 : POLY_OPENING_STRETCHES * suite.pairs.needs.front(); }

// Bytes that are run for so many of each of n texts.
inline size_t chacha_room(const Suite &suite, size_t n, size_t bytes) {
    const size_t blocks = (bytes + CHACHA_BLOCK - 1) / CHACHA_BLOCK;
    return CHACHA_BLOCK * (n < suite.chacha_several ? suite.chacha_blocks[blocks] : blocks);
}

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
