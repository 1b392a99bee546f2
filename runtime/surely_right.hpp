// Whether jobs are right, by few tests that do not fail for those that usually come. Where it is not sure of that,
// check_job must look closer.
#pragma once

#include "handles.hpp"

namespace cst {

inline uint64_t address(const void *p) { return reinterpret_cast<uintptr_t>(p); }

inline bool lengths_surely_right(const SureLengths &sure, const cst_job &job) {
    return !(job.n_in_pieces | job.n_out_pieces) && sure.iv.holds(job.iv_len) && sure.aad.holds(job.aad_len) &&
           sure.in.holds(job.in_len) && sure.tag.holds(job.tag_len);
}

// Lengths that are sure to be right, and what follows from them.
class SurelyRight {
public:
    SurelyRight() = default;
    explicit SurelyRight(const cst_job &job)
        : suite_(from(job.key)->suite),
          direction_(job.direction),
          in_(job.in_len),
          aad_(job.aad_len),
          iv_(job.iv_len),
          tag_(job.tag_len),
          some_in_(in_ != 0),
          some_aad_(aad_ != 0),
          some_iv_(iv_ != 0),
          some_tag_(tag_ != 0) {}

    explicit operator bool() const { return suite_; }
    bool are_those_of(const cst_job &job) const {
        return job.key && from(job.key)->suite == suite_ && job.direction == direction_ &&
               !((job.in_len ^ in_) | (job.aad_len ^ aad_) | (job.iv_len ^ iv_) | (job.tag_len ^ tag_) |
                 job.n_in_pieces | job.n_out_pieces);
    }

    // Where the buffers of a job lie that has these lengths. Ranges meet as Range::meets says, and where something
    // empty lies within the other, or both are empty.
    __attribute__((always_inline)) bool places(const cst_job &job) const {
        const uint64_t in = address(job.in), out = address(job.out), tag = address(job.tag), iv = address(job.iv),
                       aad = address(job.aad);
        // An address above 2^63, or none of what is not empty.
        if (int64_t(in | out | tag | iv | aad | (in - some_in_) | (tag - some_tag_) | (iv - some_iv_) |
                    (aad - some_aad_)) < 0)
            return false;
        // The distance from the first byte of one to behind the last of the other is at least the sum of both lengths,
        // if they do not meet.
        const uint64_t in_last = in + (in_ - 1), out_last = out + (in_ - 1), tag_last = tag + (tag_ - 1);
        if (in_last - tag < in_ + tag_ - 1) return false;
        if (!suite_->enciphers()) return !(out | job.out_cap);
        if (job.out_cap < in_ || int64_t(out - some_in_) < 0 || (out != in && out_last - in < in_ + in_ - 1))
            return false;
        return out_last - tag >= in_ + tag_ - 1 && out_last - iv >= in_ + iv_ - 1 && out_last - aad >= in_ + aad_ - 1 &&
               tag_last - iv >= tag_ + iv_ - 1 && tag_last - aad >= tag_ + aad_ - 1;
    }

private:
    const Suite *suite_ = nullptr;  // NULL: nothing is known
    int direction_ = 0;
    uint64_t in_ = 0, aad_ = 0, iv_ = 0, tag_ = 0;
    uint64_t some_in_ = 0, some_aad_ = 0, some_iv_ = 0, some_tag_ = 0;  // 1: it is not empty
};

// How many, from the first on, have the lengths, suite and direction of `model`, which is surely right, and are so too.
// With AVX-512; writes nothing.
size_t surely_right_alike_wide(const cst_job &model, const cst_job *jobs, size_t n);

}  // namespace cst
