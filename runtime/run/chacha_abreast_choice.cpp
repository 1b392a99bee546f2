// Which kernels, and whether it pays. Costs are of kernels with warm code and state, as in abreast_choice.cpp.

#include <algorithm>
#include <cmath>

#include "abreast_choice.hpp"
#include "chacha_abreast.hpp"
#include "chacha_alone.hpp"

namespace cst {
namespace {

// Core cycles, measured on Zen 4: of a call; of what is done for a message beside kernels, here and job after job (chacha_alone.cpp).
constexpr double kCall = 40, kMessage = 60, kMessageAlone = 100;

// Kernels whose lanes are messages.
bool hashes_abreast(const Variant &v) {
    return v.lanes > 1 && v.lanes <= ChaChaAbreast::MOST && v.step == 16 && v.hash.key_rows == POLY_ABREAST_ROWS && v.hash.chain_rows == 3;
}

double calls(const Variant &v, size_t n) { return double(v.full_rounds(n + v.lanes - 1)); }

}  // namespace

bool ChaChaAbreast::usable(const Variant &v) const {
    return v.state_bytes <= CIPHER_STATE && v.state_align <= STATE_ALIGNED && v.kernel.load(std::memory_order_acquire);
}

// For the next `bytes` bytes of n texts. NULL: it cannot be had; where `prepare` has said that they can be run, the smallest can.
const Variant *ChaChaAbreast::choose(size_t n, uint64_t bytes) const {
    const uint64_t question = n | bytes << 8;
    const Variant *choice = suite_.memo->recall_exact(suite_.encrypts, question);
    if (choice && usable(*choice) && choice->need() <= bytes) return choice;
    choice = pick_abreast(suite_, suite_.encrypts, n, bytes, false).variant;
    const Kernel *kernel;
    if (!choice || suite_.engine->fetch(*choice, &kernel) || !usable(*choice)) return smallest();
    suite_.memo->remember_exact(suite_.encrypts, question, choice);
    return choice;
}

// A kernel that can be called for every number of blocks; NULL: none.
const Variant *ChaChaAbreast::smallest() const {
    for (const Variant *v : suite_.encrypts.variants)
        if (v->need() <= CHACHA_BLOCK && !v->one_key && usable(*v)) return v;
    return nullptr;
}

bool ChaChaAbreast::prepare(cst_job *const *jobs, size_t n) {
    const cst_job &first = *jobs[0], &last = *jobs[n - 1];
    bytes_ = last.in_len;
    aad_bytes_ = 0;
    for (size_t i = 0; i < n; i++) aad_bytes_ = std::max(aad_bytes_, jobs[i]->aad_len);
    const bool alike = first.in_len == last.in_len && first.aad_len == last.aad_len;
    together_ = !alike || bytes_ <= MOST_TOGETHER || (bytes_ % CHACHA_BLOCK && fit(n, bytes_));
    in_place_ = together_ ? bytes_ : bytes_ % CHACHA_BLOCK;
    stride_ = stride_for(in_place_);
    with_key_ = CHACHA_BLOCK + (together_ ? padded(bytes_, CHACHA_BLOCK) : 0);
    // What is known already: that it does not pay; the kernel that hashes; that none does.
    const uint64_t lengths = padded(bytes_, CHACHA_BLOCK) << 8 | padded(aad_bytes_, BLOCK) << 24, form = uint64_t(together_) << 22 | uint64_t(in_place_ > 0) << 23;
    const uint64_t question = n | lengths | form | uint64_t(1) << 47;
    const uint64_t never = question | uint64_t(1) << 45, without = question | uint64_t(1) << 46;
    ChoiceMemo &memo = *suite_.memo;
    if (memo.recall_exact(suite_.encrypts, never)) return false;
    makes_keys_ = choose(n, with_key_);
    if (!makes_keys_) return false;
    const size_t room = with_key_ / MOST_STRIDE * MOST_STRIDE + chacha_room(suite_, 1, with_key_ % MOST_STRIDE);
    if (makes_keys_->lanes == 1 && room > with_key_ && n * std::max(stride_, room) <= sizeof(places_)) {
        with_key_ = room;
        stride_ = std::max(stride_, room);
        makes_keys_ = nullptr;
    }
    hash_ = memo.recall_exact(suite_.hashes, question);
    if (hash_ && hash_->kernel.load(std::memory_order_acquire)) return true;
    hash_ = nullptr;
    if (memo.recall_exact(suite_.encrypts, without)) return true;
    const Variant *const any = smallest();
    const bool pays = any && compare(n);
    if (pays && hash_) memo.remember_exact(suite_.hashes, question, hash_);
    else if (any) memo.remember_exact(suite_.encrypts, pays ? without : never, any);
    return pays;
}

// Whether it takes less time than one message after the other. Finds the kernel that hashes.
bool ChaChaAbreast::compare(size_t n) {
    const double blocks = double((padded(aad_bytes_, BLOCK) + padded(bytes_, BLOCK)) / BLOCK + 1), jobs = double(n);
    double alone = poly1305_cycles(suite_, blocks), hashing = alone * jobs;
    for (const Variant *v : suite_.hashes.variants) {
        double needed;
        if (v->lanes == 1) {
            needed = POLY_POWERS + v->cost.per_call + v->cost.per_byte * BLOCK * blocks;
            alone = std::min(alone, needed);
            needed = bytes_ < std::max<uint64_t>(POLY_LEAST, v->step) ? HUGE_VAL : needed * jobs;
        } else {
            needed = calls(*v, n) * (kCall + v->cost.per_iteration * blocks);
        }
        const Kernel *kernel;
        if (needed >= hashing || !(v->lanes == 1 ? poly1305_serves(*v) : hashes_abreast(*v)) || v->state_bytes > HASH_STATE || v->state_align > STATE_ALIGNED) continue;
        if (suite_.engine->fetch(*v, &kernel)) continue;
        hash_ = v;
        hashing = needed;
    }
    auto enciphering = [&](size_t some, uint64_t of_each) {
        double cycles = 0;
        for (const Variant *v; of_each && (v = pick_abreast(suite_, suite_.encrypts, some, of_each, false).variant); of_each &= v->step - 1)
            cycles += calls(*v, some) * (kCall + v->cost.per_iteration * double(of_each >> v->step_log2));
        return cycles;
    };
    const size_t first = chacha_alone_first(bytes_), whole = (bytes_ - first) / MOST_STRIDE * MOST_STRIDE, rest = bytes_ - first - whole;
    double here = enciphering(n, with_key_) + hashing;
    if (!together_) here += enciphering(n, bytes_ - in_place_) + (in_place_ ? enciphering(n, CHACHA_BLOCK) : 0);
    double there = alone + enciphering(1, whole);
    for (const size_t part : {CHACHA_BLOCK + first, rest})
        if (part) there += enciphering(1, chacha_room(suite_, 1, part));
    return here + kMessage * jobs < jobs * (there + kMessageAlone);
}

}  // namespace cst
