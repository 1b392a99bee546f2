#include "chacha_abreast.hpp"

#include <algorithm>
#include <cstring>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "call.hpp"
#include "chacha_alone.hpp"
#include "copy.hpp"
#include "direct.hpp"

namespace cst {
namespace {

const uint8_t *in_of(const cst_job &job) { return static_cast<const uint8_t *>(job.in); }
uint8_t *out_of(const cst_job &job) { return static_cast<uint8_t *>(job.out); }
bool alike(const cst_job &a, const cst_job &b) { return a.in_len == b.in_len && a.aad_len == b.aad_len; }
bool in_order(const cst_job *a, const cst_job *b) { return a->in_len != b->in_len ? a->in_len < b->in_len : a->aad_len < b->aad_len; }

}  // namespace

ChaChaAbreast::~ChaChaAbreast() {
    wipe(keys_, messages_used_ * sizeof(keys_[0]));
    wipe(accumulators_, messages_used_ * sizeof(accumulators_[0]));
    wipe(places_, places_used_);
    wipe(opened_, opened_used_);
    wipe(cipher_state_, cipher_used_);
    wipe(hash_state_, hash_used_);
    wipe(idle_out_, idle_used_);
}

// The next `bytes` bytes, whole blocks, of the first n texts; the kernel for them, if it is known.
void ChaChaAbreast::encipher(size_t n, uint32_t counter, uint64_t bytes, const Variant *known) {
    for (size_t at = 0; at < n;) {
        const size_t left = n - at;
        const Variant *v = known && !at ? known : choose(left, bytes);
        const size_t some = left > v->lanes ? v->full_rounds(left) * v->lanes : left;
        for (uint64_t done = 0; done < bytes;) {
            if (done) v = choose(some, bytes - done);
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
    const cst_kernel_args args = kernel_args(v, state, bytes);
    cipher_used_ = std::max(cipher_used_, size_t(v.state_bytes));
    auto load = [&](const LanePlace &place, const Text &text, uint8_t *out) {
        put_chacha_lane(state, place, row, text.in + done, out, counter, static_cast<const uint8_t *>(text.job->iv), key_of(*text.job).encrypt[0]);
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
    v.calls.add(v.full_rounds(n + v.lanes - 1));
}

// The first block of each keystream, with the text if it lies together with it.
void ChaChaAbreast::make_first_blocks(size_t n) {
    for (size_t i = 0; i < n; i++) {
        const cst_job &job = *jobs_[i];
        uint8_t *const at = place(i);
        memset(at, 0, CHACHA_BLOCK);
        if (together_) copy_few(at + CHACHA_BLOCK, in_of(job), job.in_len);
        texts_[i] = {&job, at, together_ && opens_ ? opened(i) : at, nullptr};
    }
    messages_used_ = std::max(messages_used_, n);
    places_used_ = std::max(places_used_, n * stride_);
    if (together_ && opens_) opened_used_ = std::max(opened_used_, n * stride_);
    encipher(n, 0, with_key_, makes_keys_);
    for (size_t i = 0; i < n; i++) poly1305_key(texts_[i].out, &keys_[i]);
}

// Whole blocks of the texts, and what is left behind them by way of the places.
void ChaChaAbreast::encipher_where_they_lie(size_t n) {
    const uint64_t whole = bytes_ - in_place_;
    encipher(n, 1, whole);
    if (!in_place_) return;
    for (size_t i = 0; i < n; i++) texts_[i].in = texts_[i].out = texts_[i].rest;
    encipher(n, uint32_t(1 + whole / CHACHA_BLOCK), CHACHA_BLOCK);
    for (size_t i = 0; i < n; i++) copy_few(out_of(*texts_[i].job) + whole, texts_[i].rest, in_place_);
}

// False: the tag is not the job's, which is then as good as never opened.
bool ChaChaAbreast::check(size_t i) {
    cst_job &job = *jobs_[i];
    uint8_t tag[BLOCK];
    poly1305_tag(keys_[i], accumulators_[i], tag);
    const bool right = same_bytes(tag, static_cast<const uint8_t *>(job.tag), BLOCK);
    wipe(tag, sizeof(tag));
    job.status = CST_OK;
    job.out_len = job.in_len;
    if (!right) refuse(&job);
    return right;
}

void ChaChaAbreast::seal(size_t n) {
    if (!together_) encipher_where_they_lie(n);
    for (size_t i = 0; i < n; i++) {
        if (together_) copy_few(out_of(*jobs_[i]), place(i) + CHACHA_BLOCK, jobs_[i]->in_len);
        put_ends(i);
    }
    hash(n);
    for (size_t i = 0; i < n; i++) {
        cst_job &job = *jobs_[i];
        poly1305_tag(keys_[i], accumulators_[i], static_cast<uint8_t *>(job.tag));
        text_done(&job);
    }
}

bool ChaChaAbreast::open(size_t n) {
    for (size_t i = 0; i < n; i++) put_ends(i);
    hash(n);
    size_t right = 0;
    for (size_t i = 0; i < n; i++) {
        if (!check(i)) continue;
        if (together_) copy_few(out_of(*jobs_[i]), opened(i) + CHACHA_BLOCK, jobs_[i]->in_len);
        texts_[right++] = texts_[i];
    }
    if (!together_) encipher_where_they_lie(right);
    return right == n;
}

bool ChaChaAbreast::run(cst_job *const *jobs, size_t n) {
    jobs_ = jobs;
    make_first_blocks(n);
    for (size_t i = 0; i < n && !together_; i++) {
        const uint8_t *const in = in_of(*jobs[i]);
        texts_[i] = {jobs[i], in, out_of(*jobs[i]), place(i) + CHACHA_BLOCK};
        copy_few(texts_[i].rest, in + (bytes_ - in_place_), in_place_);
    }
    if (opens_) return open(n);
    seal(n);
    return true;
}

size_t ChaChaAbreast::group(cst_job *const *jobs, size_t n) {
    const cst_job &first = *jobs[0];
    const uint64_t most = (1 + first.in_len / CHACHA_BLOCK) * 3 / 2 * CHACHA_BLOCK + CHACHA_BLOCK;
    size_t some = 1;
    for (; some < std::min(n, MOST); some++) {
        const cst_job &next = *jobs[some];
        if (!alike(first, next) && (next.in_len > most || !fit(some + 1, next.in_len))) break;
    }
    return some;
}

namespace {

int run_waiting(const Suite &suite, int direction, cst_job *jobs, size_t n) {
    constexpr size_t kMost = 64;  // are sorted at once
    ChaChaAbreast abreast(suite, direction);
    int result = CST_OK;
    for (size_t next = 0; next < n;) {
        cst_job *some[kMost];
        size_t found = 0;
        for (; next < n && found < kMost; next++) {
            cst_job &job = jobs[next];
            if (job.status == JOB_WAITING && job.direction == direction && key_of(job).suite == &suite && ChaChaAbreast::takes(job)) some[found++] = &job;
        }
        if (!std::is_sorted(some, some + found, in_order)) std::sort(some, some + found, in_order);
        for (size_t at = 0, together; at < found; at += together) {
            together = ChaChaAbreast::group(some + at, found - at);
            if (abreast.prepare(some + at, together) && !abreast.run(some + at, together)) result = CST_ERR_AUTH;
        }
    }
    return result;
}

}  // namespace

bool chacha_abreast_takes(const cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(jobs[0]).suite;
    return n > 1 && suite.construction == Construction::chacha_poly && !suite.forced && suite.memo;
}

int chacha_abreast(cst_job *jobs, size_t n) {
    const Suite &suite = *key_of(jobs[0]).suite;
    const int direction = jobs[0].direction, other = direction == CST_SEAL ? CST_OPEN : CST_SEAL;
    int result = run_waiting(suite, direction, jobs, n);
    const bool both = std::any_of(jobs, jobs + n, [&](const cst_job &job) { return job.direction == other; });
    if (both) result = std::min(result, run_waiting(suite, other, jobs, n));
    if (n >= suite.chacha_several) return result;
    for (int way : {direction, other})
        each_waiting(suite, way, jobs, n, chacha_alone_takes, [&](cst_job *job) { result = std::min(result, run_chacha_alone(job)); });
    return result;
}

}  // namespace cst
