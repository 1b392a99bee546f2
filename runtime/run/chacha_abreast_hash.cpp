// Poly1305 of messages whose ciphertexts, and keys, are there.

#include <algorithm>
#include <cstring>

#include "chacha_abreast.hpp"
#include "copy.hpp"

namespace cst {

// AAD and lengths around what lies in the place.
void ChaChaAbreast::put_ends(size_t i) {
    const cst_job &job = *jobs_[i];
    uint8_t *const text = place(i) + CHACHA_BLOCK;
    const size_t here = together_ ? job.in_len : in_place_;
    if (job.aad_len) {
        put_zeros(text - BLOCK);
        copy_few(text - padded(job.aad_len, BLOCK), static_cast<const uint8_t *>(job.aad), job.aad_len);
    }
    put_zeros(text + here);
    put_words(text + padded(here, BLOCK), job.aad_len, job.in_len);
}

// What is hashed of a message, in whole blocks: each(from, blocks).
template <typename Each>
void ChaChaAbreast::each_piece(size_t i, Each each) {
    const cst_job &job = *jobs_[i];
    const uint8_t *const text = place(i) + CHACHA_BLOCK;
    const size_t aad = padded(job.aad_len, BLOCK), end = padded(together_ ? job.in_len : in_place_, BLOCK) + BLOCK;
    if (together_) return each(text - aad, (aad + end) / BLOCK);
    if (aad) each(text - aad, aad / BLOCK);
    each(static_cast<const uint8_t *>(opens_ ? job.in : job.out), (bytes_ - in_place_) / BLOCK);
    each(text, end / BLOCK);
}

void ChaChaAbreast::hash_alone(size_t i) {
    uint64_t *const accumulator = accumulators_[i];
    memset(accumulator, 0, sizeof(accumulators_[i]));
    each_piece(i, [&](const uint8_t *from, size_t blocks) {
        size_t done = 0;
        if (hash_ && BLOCK * blocks >= std::max<size_t>(POLY_LEAST, hash_->step)) {
            hash_used_ = std::max(hash_used_, size_t(hash_->state_bytes));
            poly1305_powers(keys_[i], hash_->hash.key_rows, hash_state_ + hash_->hash.lanes[0].key);
            done = size_t(poly1305_on(*hash_, hash_state_, accumulator, from, BLOCK * blocks)) / BLOCK;
        }
        poly1305_absorb(suite_, keys_[i], accumulator, from + BLOCK * done, blocks - done);
    });
}

// Pieces of several messages are equal, but for those of messages that lie together in one piece each: lanes whose messages end go on with what another reads.
void ChaChaAbreast::hash_on(const Variant &v, size_t first, size_t n) {
    const Kernel &kernel = *v.kernel.load(std::memory_order_acquire);
    uint8_t *const state = hash_state_;
    const LanePlace *const places = v.hash.lanes.data();
    const size_t row = v.hash.chain_row_bytes;
    cst_kernel_args args;
    args.state[0] = state + v.state_offset[0];
    hash_used_ = std::max(hash_used_, size_t(v.state_bytes));
    const uint8_t *from[3][MOST];
    size_t blocks[3][MOST], pieces = 0;
    for (size_t i = 0; i < v.lanes; i++) {
        const size_t message = first + (i < n ? i : 0);
        memcpy(state + places[i].key, keys_[message].r, 16);
        for (size_t w = 0; w < 3; w++) memset(state + places[i].chain + w * row, 0, 8);
        pieces = 0;
        each_piece(message, [&](const uint8_t *at, size_t whole) {
            from[pieces][i] = at;
            blocks[pieces++][i] = whole;
        });
    }
    for (size_t piece = 0; piece < pieces; piece++) {
        for (size_t done = 0;;) {
            size_t some = SIZE_MAX, going = v.lanes;
            for (size_t i = 0; i < n; i++)
                if (blocks[piece][i] > done && blocks[piece][i] < some) some = blocks[piece][i];
            if (some == SIZE_MAX) break;
            for (size_t i = n; i-- && going == v.lanes;)
                if (blocks[piece][i] > done) going = i;
            for (size_t i = 0; i < v.lanes; i++)
                put_pointer(state + places[i].in, from[piece][blocks[piece][i] > done ? i : going] + BLOCK * done);
            args.iterations = some - done;
            kernel.fn(&args);
            v.calls.add(1);
            done = some;
            if (piece + 1 < pieces) continue;
            for (size_t i = 0; i < n; i++)
                for (size_t w = 0; w < 3 && blocks[piece][i] == done; w++) memcpy(&accumulators_[first + i][w], state + places[i].chain + w * row, 8);
        }
    }
}

void ChaChaAbreast::hash(size_t n) {
    if (!hash_ || hash_->lanes == 1) {
        for (size_t i = 0; i < n; i++) hash_alone(i);
        return;
    }
    for (size_t at = 0; at < n; at += hash_->lanes) hash_on(*hash_, at, std::min<size_t>(n - at, hash_->lanes));
}

}  // namespace cst
