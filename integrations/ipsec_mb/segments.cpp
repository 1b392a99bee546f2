#include "segments.hpp"

#include "chacha.hpp"
#include "gcm.hpp"
#include "work.hpp"

namespace cst::imb {
namespace {

bool begins(const IMB_JOB &job) {
    return number_of(job.sgl_state) == IMB_SGL_INIT || number_of(job.sgl_state) == IMB_SGL_ALL;
}
bool ends(const IMB_JOB &job) {
    return number_of(job.sgl_state) == IMB_SGL_COMPLETE || number_of(job.sgl_state) == IMB_SGL_ALL;
}

// all_bring: the steps that begin and complete a message may bring text too. Of GCM they do not, whatever length the
// job has.
template <typename Text>
void run_segments(const IMB_JOB &job, bool all_bring, Text text) {
    if (number_of(job.sgl_state) == IMB_SGL_ALL) {
        for (uint64_t i = 0; i < job.num_sgl_io_segs; i++)
            text(job.sgl_io_segs[i].in, job.sgl_io_segs[i].out, job.sgl_io_segs[i].len);
    } else if (number_of(job.sgl_state) == IMB_SGL_UPDATE || all_bring) {
        text(text_of(job), job.dst, job.msg_len_to_cipher_in_bytes);
    }
}

}  // namespace

bool run_gcm_segments(const IMB_JOB &job) {
    const gcm_key_data &data = *static_cast<const gcm_key_data *>(job.enc_keys);
    const auto &fields = job.u.GCM;
    const uint64_t key_bytes = job.key_len_in_bytes;
    bool done = true;
    const auto text = [&](const void *in, void *out, uint64_t bytes) {
        if (bytes) done &= gcm_text(key_bytes, data, fields.ctx, octets(out), octets(in), bytes, !seals(job));
    };
    if (begins(job))
        gcm_begin(data, fields.ctx, {job.iv, job.iv_len_in_bytes, octets(fields.aad), fields.aad_len_in_bytes});
    run_segments(job, false, text);
    if (ends(job)) done &= gcm_end(key_bytes, data, fields.ctx, job.auth_tag_output, job.auth_tag_output_len_in_bytes);
    return done;
}

bool run_chacha_segments(const IMB_JOB &job) {
    const auto &fields = job.u.CHACHA20_POLY1305;
    bool done = true;
    const auto text = [&](const void *in, void *out, uint64_t bytes) {
        if (bytes) done &= chacha_text(job.enc_keys, fields.ctx, octets(out), octets(in), bytes, !seals(job));
    };
    if (begins(job)) done = chacha_begin(job.enc_keys, fields.ctx, job.iv, octets(fields.aad), fields.aad_len_in_bytes);
    run_segments(job, true, text);
    if (ends(job)) done &= chacha_end(fields.ctx, job.auth_tag_output, job.auth_tag_output_len_in_bytes);
    return done;
}

}  // namespace cst::imb
