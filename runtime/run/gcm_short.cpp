#include "gcm_short.hpp"

#include <algorithm>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "copy.hpp"
#include "direct.hpp"
#include "gcm_few.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = GCM_BLOCK;

void put_zeros(uint8_t *to) { put_words(to, 0, 0); }
template <uint32_t rows>
void copy_known(uint8_t *to, const uint8_t *from) {
#pragma GCC unroll 16
    for (uint32_t i = 0; i < rows; i++) memcpy(to + BLOCK * i, from + BLOCK * i, BLOCK);
}
// Of the smallest kernels, and others.
void copy_rows(uint8_t *to, const uint8_t *from, uint32_t rows) {
    switch (rows) {
        case 8: return copy_known<8>(to, from);
        case 11: return copy_known<11>(to, from);
        case 15: return copy_known<15>(to, from);
        default: memcpy(to, from, BLOCK * rows);
    }
}

constexpr size_t lines(size_t bytes) { return (bytes + 63) & ~size_t(63); }

}  // namespace

GcmShort::~GcmShort() { wipe(room_, used_); }

// A place begins with a line that has E(K, J0). Behind it: zeros, AAD, text and lengths, and what the cipher's last iteration writes too much; then state blocks.
// Zeros in front of a message leave Y = 0 as it is.
void GcmShort::lay_out(const cst_job &job) {
    bytes_ = job.in_len;
    aad_bytes_ = job.aad_len;
    most_ = 0;
    laid_out_ = true;
    const uint64_t text = whole_blocks(bytes_), message = whole_blocks(aad_bytes_) + text + BLOCK;
    hash_ = which_.rounded_up(suite_.hashes, message);
    cipher_ = which_.rounded_up(suite_.encrypts, BLOCK + text);
    if (!hash_ || !cipher_ || cipher_->cipher.key_row_bytes != BLOCK || hash_->hash.key_row_bytes != BLOCK) return;
    if (std::max(cipher_->state_align, hash_->state_align) > LINE) return;
    cipher_place_ = cipher_->cipher.lanes[0];
    hash_place_ = hash_->hash.lanes[0];
    hashed_ = hash_->whole_iterations(message);
    ciphered_ = cipher_->whole_iterations(BLOCK + text);
    text_at_ = LINE + hashed_ - text - BLOCK;
    hash_at_ = lines(std::max(LINE + hashed_, text_at_ - BLOCK + ciphered_));
    cipher_at_ = hash_at_ + lines(hash_->state_bytes);
    stride_ = cipher_at_ + lines(cipher_->state_bytes);
    if ((cipher_->legacy_sse || hash_->legacy_sse) && suite_.engine->avx()) clear_upper_halves();
    most_ = std::min(MOST, ROOM / stride_);
}

// The block of the tag, then the text: the counter goes on from the first one.
void GcmShort::begin_cipher(size_t i) {
    const cst_job &job = *jobs_[i];
    uint8_t *const at = place(i), *const state = at + cipher_at_, *const from = at + text_at_ - BLOCK;
    put_zeros(from);
    put_first_counter(state + cipher_place_.chain, job.iv);
    put_pointer(state + cipher_place_.in, from);
    put_pointer(state + cipher_place_.out, from);
    copy_rows(state + cipher_place_.key, key(job).encrypt[0], cipher_->cipher.key_rows);
}

// AAD, ciphertext and lengths (7.1, step 5).
void GcmShort::begin_hash(size_t i) {
    const cst_job &job = *jobs_[i];
    uint8_t *const at = place(i), *const state = at + hash_at_, *const text = at + text_at_;
    const uint32_t rows = hash_->hash.key_rows;
    for (uint8_t *zeros = at + LINE; zeros < text; zeros += BLOCK) put_zeros(zeros);
    copy_few(text - whole_blocks(aad_bytes_), static_cast<const uint8_t *>(job.aad), aad_bytes_);
    put_zeros(text + bytes_);
    put_words(text + whole_blocks(bytes_), __builtin_bswap64(8 * aad_bytes_), __builtin_bswap64(8 * bytes_));
    put_zeros(state + hash_place_.chain);
    put_pointer(state + hash_place_.in, at + LINE);
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

// The tag (7.1, step 6). False: it is not the job's, which is then as good as never opened.
bool GcmShort::finish(size_t i) {
    cst_job &job = *jobs_[i];
    uint8_t *const at = place(i), *const y = at + hash_at_ + hash_place_.chain;
    put_words(y, load64(at) ^ load64(y), load64(at + 8) ^ load64(y + 8));
    job.out_len = bytes_;
    job.status = CST_OK;
    if (!opens_) {
        copy_few(static_cast<uint8_t *>(job.tag), y, job.tag_len);
        return true;
    }
    if (same_bytes(y, static_cast<const uint8_t *>(job.tag), job.tag_len)) {
        copy_few(static_cast<uint8_t *>(job.out), at + text_at_, bytes_);
        return true;
    }
    if (job.out) wipe(job.out, bytes_);
    job.out_len = 0;
    job.status = CST_ERR_AUTH;
    return false;
}

void GcmShort::run() {
    if (!n_) return;
    used_ = std::max(used_, n_ * stride_);
    for (size_t i = 0; i < n_; i++) {
        copy_few(place(i) + text_at_, static_cast<const uint8_t *>(jobs_[i]->in), bytes_);
        opens_ ? begin_hash(i) : begin_cipher(i);
    }
    if (opens_) {
        call(*hash_, hash_at_, hashed_);
        for (size_t i = 0; i < n_; i++) begin_cipher(i);
    }
    call(*cipher_, cipher_at_, ciphered_);
    for (size_t i = 0; i < n_; i++) {
        memcpy(place(i), place(i) + text_at_ - BLOCK, BLOCK);
        if (opens_) continue;
        copy_few(static_cast<uint8_t *>(jobs_[i]->out), place(i) + text_at_, bytes_);
        begin_hash(i);
    }
    if (!opens_) call(*hash_, hash_at_, hashed_);
    for (size_t i = 0; i < n_; i++) all_ &= finish(i);
    n_ = 0;
}

bool gcm_takes_burst(const cst_job *jobs, size_t n) {
    const Suite *const suite = reinterpret_cast<const Key *>(jobs[0].key)->suite;
    if (suite->construction != Construction::gcm || suite->forced) return false;
    for (size_t i = 0; i < n; i++)
        if (reinterpret_cast<const Key *>(jobs[i].key)->suite != suite || jobs[i].direction != jobs[0].direction || !(GcmShort::takes(jobs[i]) || gcm_few(jobs[i]))) return false;
    return true;
}

int gcm_burst(cst_job *jobs, size_t n) {
    GcmShort few(*reinterpret_cast<const Key *>(jobs[0].key)->suite, jobs[0].direction, one_key(jobs, n));
    bool all = true;
    for (size_t i = 0; i < n; i++)
        if (gcm_few(jobs[i])) all &= run_gcm_few(&jobs[i]);
        else if (!few.add(&jobs[i])) break;
    few.run();
    return all && few.all() ? CST_OK : CST_ERR_AUTH;
}

}  // namespace cst
