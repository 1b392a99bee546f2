#include "gcm_short.hpp"

#include <algorithm>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "copy.hpp"
#include "direct.hpp"
#include "key_rows.hpp"

namespace cst {
namespace {

constexpr size_t lines(size_t bytes) { return (bytes + 63) & ~size_t(63); }

}  // namespace

GcmShort::~GcmShort() { wipe(room_, used_); }

void GcmShort::lay_out(const cst_job &job) {
    most_ = 0;
    const uint64_t text = whole_blocks(job.in_len);
    hash_ = which_.rounded_up(suite_.hashes, whole_blocks(job.aad_len) + text + GCM_BLOCK);
    cipher_ = which_.rounded_up(suite_.encrypts, GCM_BLOCK + text);
    if (!hash_ || !cipher_ || cipher_->cipher.key_row_bytes != GCM_BLOCK || hash_->hash.key_row_bytes != GCM_BLOCK) return;
    if (std::max(cipher_->state_align, hash_->state_align) > GcmPlace::LINE) return;
    lies_ = GcmPlace(job, *cipher_, *hash_);
    cipher_place_ = cipher_->cipher.lanes[0];
    hash_place_ = hash_->hash.lanes[0];
    hash_at_ = lies_.size();
    cipher_at_ = hash_at_ + lines(hash_->state_bytes);
    stride_ = cipher_at_ + lines(cipher_->state_bytes);
    if ((cipher_->legacy_sse || hash_->legacy_sse) && suite_.engine->avx()) clear_upper_halves();
    most_ = std::min(MOST, ROOM / stride_);
}

// The block of the tag, then the text: the counter goes on from the first one.
void GcmShort::begin_cipher(size_t i) {
    const cst_job &job = *jobs_[i];
    uint8_t *const at = place(i), *const state = at + cipher_at_, *const from = at + lies_.enciphered_at();
    lies_.begin_cipher(at);
    put_first_counter(state + cipher_place_.chain, job.iv);
    put_pointer(state + cipher_place_.in, from);
    put_pointer(state + cipher_place_.out, from);
    copy_rows(state + cipher_place_.key, key(job).encrypt[0], cipher_->cipher.key_rows);
}

void GcmShort::begin_hash(size_t i) {
    const cst_job &job = *jobs_[i];
    uint8_t *const at = place(i), *const state = at + hash_at_;
    const uint32_t rows = hash_->hash.key_rows;
    lies_.begin_hash(at, job);
    put_zeros(state + hash_place_.chain);
    put_pointer(state + hash_place_.in, at + lies_.hashed_at());
    copy_rows(state + hash_place_.key, key(job).powers[MOST_POWERS - rows], rows);
}

void GcmShort::call(const Variant &v, size_t state, size_t bytes) {
    const cst_kernel_fn fn = v.kernel.load(std::memory_order_acquire)->fn;
    for (size_t i = 0; i < n_; i++) {
        const cst_kernel_args args = {bytes >> v.step_log2, {place(i) + state}};
        fn(&args);
    }
    v.calls.fetch_add(n_, std::memory_order_relaxed);
}

void GcmShort::run() {
    if (!n_) return;
    used_ = std::max(used_, n_ * stride_);
    for (size_t i = 0; i < n_; i++) {
        lies_.put_text(place(i), *jobs_[i]);
        opens_ ? begin_hash(i) : begin_cipher(i);
    }
    if (opens_) {
        call(*hash_, hash_at_, lies_.hashed());
        for (size_t i = 0; i < n_; i++) begin_cipher(i);
    }
    call(*cipher_, cipher_at_, lies_.enciphered());
    for (size_t i = 0; i < n_; i++) {
        lies_.keep_tag_block(place(i));
        if (opens_) continue;
        lies_.take_text(place(i), jobs_[i]);
        begin_hash(i);
    }
    if (!opens_) call(*hash_, hash_at_, lies_.hashed());
    for (size_t i = 0; i < n_; i++) all_ &= lies_.finish(place(i), place(i) + hash_at_ + hash_place_.chain, opens_, jobs_[i]);
    n_ = 0;
}

}  // namespace cst
