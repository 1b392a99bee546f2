#include "alone.hpp"

#include "chacha.hpp"
#include "gcm.hpp"
#include "executors/copy.hpp"
#include "segments.hpp"
#include "suite/secret.hpp"

namespace cst::imb {
namespace {

const gcm_key_data &key_of(const IMB_JOB &job, const Plan &plan) {
    return *static_cast<const gcm_key_data *>(plan.decrypts ? job.dec_keys : job.enc_keys);
}
GcmInput input_of(const IMB_JOB &job) {
    const auto &fields = job.u.GCM;
    return {job.iv, job.iv_len_in_bytes, octets(fields.aad), fields.aad_len_in_bytes};
}

bool gcm(const IMB_JOB &job, const Plan &plan, uint8_t *tag) {
    return gcm_whole(job.key_len_in_bytes, key_of(job, plan), !seals(job), input_of(job), job.dst,
                     job.src + job.cipher_start_src_offset_in_bytes, job.msg_len_to_cipher_in_bytes, tag);
}

bool gmac(const IMB_JOB &job, uint64_t key_bytes, uint8_t *tag) {
    const auto &fields = job.u.GMAC;
    return gcm_whole(key_bytes, *fields._key, false,
                     {octets(fields._iv), fields.iv_len_in_bytes, job.src + job.hash_start_src_offset_in_bytes,
                      job.msg_len_to_hash_in_bytes},
                     nullptr, nullptr, 0, tag);
}

}  // namespace

bool add_listed(GcmList *list, const IMB_JOB &job, const Plan &plan) {
    if (plan.kind != Kind::gcm) return false;
    const GcmInput input = input_of(job);
    const KernelCall *const call = list->call_for(*plan.mac, !seals(job), input, job.msg_len_to_cipher_in_bytes);
    return call && list->add(*call, key_of(job, plan), !seals(job), input, job.dst,
                             job.src + job.cipher_start_src_offset_in_bytes, job.msg_len_to_cipher_in_bytes,
                             job.auth_tag_output, job.auth_tag_output_len_in_bytes);
}

bool run_alone(const IMB_JOB &job, const Plan &plan) {
    alignas(16) uint8_t tag[16];
    const Bytes hashed = job.src + job.hash_start_src_offset_in_bytes;
    const uint64_t bytes = job.msg_len_to_hash_in_bytes;
    bool done = true;
    switch (plan.kind) {
        case Kind::gcm: done = gcm(job, plan, tag); break;
        case Kind::gmac: done = gmac(job, plan.mac->key_bytes, tag); break;
        case Kind::ghash: ghash(*job.u.GHASH._key, octets(job.u.GHASH._init_tag), hashed, bytes, tag); break;
        case Kind::poly1305: poly1305(octets(job.u.POLY1305._key), hashed, bytes, tag); break;
        case Kind::gcm_segments: return run_gcm_segments(job);
        case Kind::chacha_segments: return run_chacha_segments(job);
        default: return true;  // neither cipher nor hash
    }
    copy_few(job.auth_tag_output, tag, size_t(job.auth_tag_output_len_in_bytes));
    wipe(tag, sizeof(tag));
    return done;
}

}  // namespace cst::imb
