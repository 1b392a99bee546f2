// The arguments of a job, before any of its bytes is touched.
#pragma once

#include "plan.hpp"

namespace cst::imb {

// 0, or the IMB_ERR of the first that is wrong. Jobs for the original library are checked there. as_original: what the
// original refuses although it could be done, is refused too: texts of 2^16 bytes and more where it counts in 16 bits,
// tags that are neither whole nor as short as IPsec has them, an HMAC of nothing.
int check_job(const IMB_JOB &job, const Plan &plan, bool as_original);

constexpr uint64_t MOST_BYTES = uint64_t(1) << 40;  // more than there is memory
constexpr uint64_t MOST_GCM_TEXT = (uint64_t(1) << 36) - 32;  // SP 800-38D, 5.2.1.1

// Decide the same by few tests, of a cipher with an HMAC except as_original. false: check_job must decide.
inline bool surely_right_gcm(const IMB_JOB &job, const Plan &plan) {
    return plan.kind == Kind::gcm && job.msg_len_to_cipher_in_bytes - 1 < MOST_GCM_TEXT &&
           job.iv_len_in_bytes - 1 < MOST_BYTES && job.u.GCM.aad_len_in_bytes <= MOST_BYTES &&
           job.auth_tag_output_len_in_bytes - 1 < 16 && has_direction(job) && job.src && job.dst && job.iv &&
           job.u.GCM.aad && job.auth_tag_output && (plan.decrypts ? job.dec_keys : job.enc_keys);
}
inline bool surely_right_hmac(const IMB_JOB &job, const Plan &plan) {
    const auto &keys = job.u.HMAC;
    return plan.usual && job.msg_len_to_cipher_in_bytes - 1 < MOST_BYTES &&
           !(job.msg_len_to_cipher_in_bytes & plan.block_mask) && job.msg_len_to_hash_in_bytes <= MOST_BYTES &&
           job.auth_tag_output_len_in_bytes - 1 < plan.mac->tag_max && job.iv_len_in_bytes == 16 &&
           has_direction(job) && job.src && job.dst && job.iv && job.auth_tag_output &&
           (plan.decrypts ? job.dec_keys : job.enc_keys) && keys._hashed_auth_key_xor_ipad &&
           keys._hashed_auth_key_xor_opad;
}

// Returns what check_job returns; of jobs that usually come by few tests.
inline int check(const IMB_JOB &job, const Plan &plan, bool as_original) {
    if (surely_right_gcm(job, plan) || (!as_original && surely_right_hmac(job, plan))) return 0;
    return check_job(job, plan, as_original);
}

}  // namespace cst::imb
