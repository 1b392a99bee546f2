#include "chacha_abreast.hpp"

#include <algorithm>
#include <cstring>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "burst.hpp"
#include "copy.hpp"

namespace cst {
namespace {

const Key &key_of(const cst_job &job) { return *reinterpret_cast<const Key *>(job.key); }
void put_words(uint8_t *to, uint64_t low, uint64_t high) {
    memcpy(to, &low, 8);
    memcpy(to + 8, &high, 8);
}

}  // namespace

ChaChaAbreast::~ChaChaAbreast() {
    wipe(keys_, places_used_ ? sizeof(keys_) : 0);
    wipe(accumulators_, places_used_ ? sizeof(accumulators_) : 0);
    wipe(places_, places_used_);
    wipe(opened_, opened_used_);
    wipe(cipher_state_, cipher_used_);
    wipe(hash_state_, hash_used_);
    wipe(idle_out_, idle_used_);
}

// The next `bytes` bytes, whole blocks, of the first n texts.
void ChaChaAbreast::encipher(size_t n, uint32_t counter, uint64_t bytes) {
    for (size_t at = 0; at < n;) {
        const Variant *v = choose(n - at, bytes);
        if (!v) v = any_;
        const size_t left = n - at, some = left > v->lanes ? v->full_rounds(left) * v->lanes : left;
        for (uint64_t done = 0; done < bytes;) {
            if (done) v = choose(some, bytes - done);
            if (!v) v = any_;
            const uint64_t whole = (bytes - done) >> v->step_log2 << v->step_log2;
            encipher_on(*v, texts_ + at, some, counter + uint32_t(done / CHACHA_BLOCK), whole, done);
            done += whole;
        }
        at += some;
    }
}

void ChaChaAbreast::encipher_on(const Variant &v, const Text *texts, size_t n, uint32_t counter, uint64_t bytes, uint64_t done) {
    const Kernel &kernel = *v.kernel.load(std::memory_order_acquire);
    if (v.legacy_sse && suite_.engine->avx()) clear_upper_halves();
    uint8_t *const state = cipher_state_;
    const size_t row = v.cipher.key_row_bytes;
    cst_kernel_args args;
    args.iterations = bytes >> v.step_log2;
    for (uint32_t i = 0; i < v.n_streams; i++) args.state[i] = state + v.state_offset[i];
    cipher_used_ = std::max(cipher_used_, size_t(v.state_bytes));
    auto load = [&](const LanePlace &place, const Text &text, uint8_t *out) {
        put_pointer(state + place.in, text.in + done);
        put_pointer(state + place.out, out);
        memcpy(state + place.chain, &counter, sizeof(counter));
        memcpy(state + place.chain + 4, text.job->iv, 12);
        const uint8_t *const key = key_of(*text.job).encrypt[0];
        memcpy(state + place.key, key, 16);
        memcpy(state + place.key + row, key + 16, 16);
    };
    for (size_t at = 0; at < n; at += v.lanes) {
        const size_t live = std::min<size_t>(n - at, v.lanes);
        for (size_t i = 0; i < live; i++) load(v.cipher.lanes[i], texts[at + i], texts[at + i].out + done);
        // Lanes without a message repeat the input of one that has one.
        for (size_t i = live; i < v.lanes; i++) {
            load(v.cipher.lanes[i], texts[at], idle_out_);
            idle_used_ = std::max(idle_used_, size_t(bytes));
        }
        kernel.fn(&args);
    }
    v.calls.fetch_add(v.full_rounds(n + v.lanes - 1), std::memory_order_relaxed);
}

// The first block of each keystream, with the text if it lies together with it.
void ChaChaAbreast::make_first_blocks(size_t n) {
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs_[i];
        uint8_t *const at = place(i);
        memset(at, 0, CHACHA_BLOCK);
        if (together_) copy_few(at + CHACHA_BLOCK, static_cast<const uint8_t *>(job.in), bytes_);
        texts_[i] = {&job, at, together_ && opens_ ? opened(i) : at, nullptr};
    }
    places_used_ = std::max(places_used_, n * stride_);
    if (together_ && opens_) opened_used_ = std::max(opened_used_, n * stride_);
    encipher(n, 0, with_key_);
    for (size_t i = 0; i < n; i++) poly1305_key(texts_[i].out, &keys_[i]);
}

// Whole blocks of the texts, and what is left behind them by way of the places.
void ChaChaAbreast::encipher_where_they_lie(size_t n) {
    const uint64_t whole = bytes_ - in_place_;
    encipher(n, 1, whole);
    if (!in_place_) return;
    for (size_t i = 0; i < n; i++) texts_[i].in = texts_[i].out = texts_[i].rest;
    encipher(n, uint32_t(1 + whole / CHACHA_BLOCK), CHACHA_BLOCK);
    for (size_t i = 0; i < n; i++) copy_few(static_cast<uint8_t *>(texts_[i].job->out) + whole, texts_[i].rest, in_place_);
}

// AAD and lengths around what lies in the place.
void ChaChaAbreast::put_ends(size_t i) {
    const cst_job &job = *jobs_[i];
    uint8_t *const text = place(i) + CHACHA_BLOCK;
    if (aad_bytes_) {
        put_words(text - BLOCK, 0, 0);
        copy_few(text - padded(aad_bytes_, BLOCK), static_cast<const uint8_t *>(job.aad), aad_bytes_);
    }
    put_words(text + in_place_, 0, 0);
    put_words(text + padded(in_place_, BLOCK), aad_bytes_, bytes_);
}

// What is hashed of a message, in whole blocks: each(from, blocks).
template <typename Each>
void ChaChaAbreast::each_piece(size_t i, Each each) {
    const uint8_t *const text = place(i) + CHACHA_BLOCK;
    const size_t aad = padded(aad_bytes_, BLOCK), end = padded(in_place_, BLOCK) + BLOCK;
    if (together_) return each(text - aad, (aad + end) / BLOCK);
    if (aad) each(text - aad, aad / BLOCK);
    each(static_cast<const uint8_t *>(opens_ ? jobs_[i]->in : jobs_[i]->out), (bytes_ - in_place_) / BLOCK);
    each(text, end / BLOCK);
}

void ChaChaAbreast::hash_alone(size_t i) {
    uint64_t *const accumulator = accumulators_[i];
    memset(accumulator, 0, sizeof(accumulators_[i]));
    each_piece(i, [&](const uint8_t *from, size_t blocks) {
        size_t done = 0;
        if (hash_ && BLOCK * blocks >= std::max<size_t>(POLY_LEAST, hash_->step)) {
            const Variant &v = *hash_;
            const LanePlace &at = v.hash.lanes[0];
            const cst_kernel_args args = {BLOCK * blocks >> v.step_log2, {hash_state_ + v.state_offset[0]}};
            hash_used_ = std::max(hash_used_, size_t(v.state_bytes));
            poly1305_powers(keys_[i], v.hash.key_rows, hash_state_ + at.key);
            memcpy(hash_state_ + at.chain, accumulator, sizeof(accumulators_[i]));
            put_pointer(hash_state_ + at.in, from);
            v.kernel.load(std::memory_order_acquire)->fn(&args);
            v.calls.fetch_add(1, std::memory_order_relaxed);
            memcpy(accumulator, hash_state_ + at.chain, sizeof(accumulators_[i]));
            done = (args.iterations << v.step_log2) / BLOCK;
        }
        poly1305_blocks(keys_[i], accumulator, from + BLOCK * done, blocks - done);
    });
}

void ChaChaAbreast::hash_on(const Variant &v, size_t first, size_t n) {
    const Kernel &kernel = *v.kernel.load(std::memory_order_acquire);
    uint8_t *const state = hash_state_;
    const size_t row = v.hash.chain_row_bytes;
    cst_kernel_args args;
    args.state[0] = state + v.state_offset[0];
    hash_used_ = std::max(hash_used_, size_t(v.state_bytes));
    const uint8_t *pieces[3][MOST];
    size_t blocks[3], pieces_n = 0;
    for (size_t i = 0; i < v.lanes; i++) {
        const size_t message = first + (i < n ? i : 0);
        const LanePlace &at = v.hash.lanes[i];
        memcpy(state + at.key, keys_[message].r, 16);
        for (size_t w = 0; w < 3; w++) memset(state + at.chain + w * row, 0, 8);
        pieces_n = 0;
        each_piece(message, [&](const uint8_t *from, size_t whole) {
            pieces[pieces_n][i] = from;
            blocks[pieces_n++] = whole;
        });
    }
    for (size_t piece = 0; piece < pieces_n; piece++) {
        for (size_t i = 0; i < v.lanes; i++) put_pointer(state + v.hash.lanes[i].in, pieces[piece][i]);
        args.iterations = blocks[piece];
        kernel.fn(&args);
    }
    v.calls.fetch_add(pieces_n, std::memory_order_relaxed);
    for (size_t i = 0; i < n; i++)
        for (size_t w = 0; w < 3; w++) memcpy(&accumulators_[first + i][w], state + v.hash.lanes[i].chain + w * row, 8);
}

void ChaChaAbreast::hash(size_t n) {
    if (!hash_ || hash_->lanes == 1) {
        for (size_t i = 0; i < n; i++) hash_alone(i);
        return;
    }
    for (size_t at = 0; at < n; at += hash_->lanes) hash_on(*hash_, at, std::min<size_t>(n - at, hash_->lanes));
}

// False: the tag is not the job's, which is then as good as never opened.
bool ChaChaAbreast::check(size_t i) {
    cst_job &job = *jobs_[i];
    uint8_t tag[BLOCK];
    poly1305_tag(keys_[i], accumulators_[i], tag);
    const bool right = same_bytes(tag, static_cast<const uint8_t *>(job.tag), BLOCK);
    wipe(tag, sizeof(tag));
    job.status = right ? CST_OK : CST_ERR_AUTH;
    job.out_len = right ? bytes_ : 0;
    if (!right && job.out) wipe(job.out, bytes_);
    return right;
}

void ChaChaAbreast::seal(size_t n) {
    if (!together_) encipher_where_they_lie(n);
    for (size_t i = 0; i < n; i++) {
        if (together_) copy_few(static_cast<uint8_t *>(jobs_[i]->out), place(i) + CHACHA_BLOCK, bytes_);
        put_ends(i);
    }
    hash(n);
    for (size_t i = 0; i < n; i++) {
        poly1305_tag(keys_[i], accumulators_[i], static_cast<uint8_t *>(jobs_[i]->tag));
        jobs_[i]->out_len = bytes_;
        jobs_[i]->status = CST_OK;
    }
}

bool ChaChaAbreast::open(size_t n) {
    for (size_t i = 0; i < n; i++) put_ends(i);
    hash(n);
    size_t right = 0;
    for (size_t i = 0; i < n; i++) {
        if (!check(i)) continue;
        if (together_) copy_few(static_cast<uint8_t *>(jobs_[i]->out), opened(i) + CHACHA_BLOCK, bytes_);
        texts_[right++] = texts_[i];
    }
    if (!together_) encipher_where_they_lie(right);
    return right == n;
}

bool ChaChaAbreast::run(cst_job *const *jobs, size_t n) {
    jobs_ = jobs;
    make_first_blocks(n);
    for (size_t i = 0; i < n && !together_; i++) {
        const uint8_t *const in = static_cast<const uint8_t *>(jobs[i]->in);
        texts_[i] = {jobs[i], in, static_cast<uint8_t *>(jobs[i]->out), place(i) + CHACHA_BLOCK};
        copy_few(texts_[i].rest, in + (bytes_ - in_place_), in_place_);
    }
    if (opens_) return open(n);
    seal(n);
    return true;
}

bool chacha_abreast_takes(const cst_job &first) {
    const Suite &suite = *key_of(first).suite;
    return suite.construction == Construction::chacha_poly && !suite.forced && suite.memo && ChaChaAbreast::takes(first);
}

int chacha_abreast(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(jobs[0]).suite;
    int result = CST_OK;
    for (int direction : {CST_SEAL, CST_OPEN}) {
        ChaChaAbreast abreast(suite, direction);
        for (size_t first = 0; first < n; first++) {
            const cst_job &model = jobs[first];
            if (model.status != JOB_WAITING || model.direction != direction || key_of(model).suite != &suite || !ChaChaAbreast::takes(model)) continue;
            cst_job *alike[ChaChaAbreast::MOST];
            size_t some = 0;
            for (size_t i = first; i < n && some < ChaChaAbreast::MOST; i++) {
                cst_job &job = jobs[i];
                if (job.status == JOB_WAITING && job.direction == direction && key_of(job).suite == &suite && job.in_len == model.in_len &&
                    job.aad_len == model.aad_len && ChaChaAbreast::takes(job))
                    alike[some++] = &job;
            }
            if (abreast.prepare(model, some) && !abreast.run(alike, some)) result = CST_ERR_AUTH;
        }
    }
    return result;
}

}  // namespace cst
