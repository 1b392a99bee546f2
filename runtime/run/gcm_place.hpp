// A short GCM message, put together so that kernels run over it in whole iterations.
#pragma once

#include <algorithm>

#include "../select/variant.hpp"
#include "../suite/secret.hpp"
#include "copy.hpp"
#include "direct.hpp"
#include "gcm_blocks.hpp"

namespace cst {

// Where the parts of messages of the same lengths lie. A place begins with a line that has E(K, J0) in the end. Behind it: zeros, AAD, text and lengths, and what the
// cipher's last iteration writes too much. Zeros in front of a message leave Y = 0 as it is.
class GcmPlace {
public:
    static constexpr size_t LINE = 64;

    GcmPlace() = default;
    GcmPlace(const cst_job &job, const Variant &cipher, const Variant &hash) : bytes_(job.in_len), aad_bytes_(job.aad_len) {
        const uint64_t text = whole_blocks(bytes_), message = whole_blocks(aad_bytes_) + text + GCM_BLOCK;
        hashed_ = hash.whole_iterations(message);
        ciphered_ = cipher.whole_iterations(GCM_BLOCK + text);
        text_at_ = LINE + hashed_ - text - GCM_BLOCK;
    }
    bool fits(const cst_job &job) const { return job.in_len == bytes_ && job.aad_len == aad_bytes_; }

    size_t size() const { return (std::max(LINE + hashed_, text_at_ - GCM_BLOCK + ciphered_) + LINE - 1) & ~(LINE - 1); }
    // What the kernels run over, in bytes from the beginning of the place, and how much.
    size_t enciphered_at() const { return text_at_ - GCM_BLOCK; }
    size_t enciphered() const { return ciphered_; }
    size_t hashed_at() const { return LINE; }
    size_t hashed() const { return hashed_; }

    void put_text(uint8_t *at, const cst_job &job) const { copy_few(at + text_at_, static_cast<const uint8_t *>(job.in), bytes_); }
    // In front of the text, which is about to be enciphered, for the counter block of the tag.
    void begin_cipher(uint8_t *at) const { put_zeros(at + text_at_ - GCM_BLOCK); }
    void keep_tag_block(uint8_t *at) const { memcpy(at, at + text_at_ - GCM_BLOCK, GCM_BLOCK); }
    // Around the ciphertext: AAD and lengths (7.1, step 5).
    void begin_hash(uint8_t *at, const cst_job &job) const {
        uint8_t *const text = at + text_at_;
        for (uint8_t *zeros = at + LINE; zeros < text; zeros += GCM_BLOCK) put_zeros(zeros);
        copy_few(text - whole_blocks(aad_bytes_), static_cast<const uint8_t *>(job.aad), aad_bytes_);
        put_zeros(text + bytes_);
        put_words(text + whole_blocks(bytes_), __builtin_bswap64(8 * aad_bytes_), __builtin_bswap64(8 * bytes_));
    }
    void take_text(const uint8_t *at, cst_job *job) const { copy_few(static_cast<uint8_t *>(job->out), at + text_at_, bytes_); }

    // The tag (7.1, step 6), made of the block that was kept and of y, which is overwritten; of a job that is opened the text too. False: it is not the job's, which is then as
    // good as never opened.
    bool finish(const uint8_t *at, uint8_t *y, bool opens, cst_job *job) const {
        put_words(y, load64(at) ^ load64(y), load64(at + 8) ^ load64(y + 8));
        job->out_len = bytes_;
        job->status = CST_OK;
        if (!opens) {
            copy_few(static_cast<uint8_t *>(job->tag), y, job->tag_len);
            return true;
        }
        if (same_bytes(y, static_cast<const uint8_t *>(job->tag), job->tag_len)) {
            take_text(at, job);
            return true;
        }
        refuse(job);
        return false;
    }

private:
    uint64_t bytes_ = UINT64_MAX, aad_bytes_ = 0;
    size_t text_at_ = 0, hashed_ = 0, ciphered_ = 0;
};

}  // namespace cst
