#include "check.hpp"

#include <cerrno>

#include "apart.hpp"

namespace cst::imb {
namespace {

// The original's limits.
constexpr uint64_t MOST_CCM_AAD = 46, LEAST_CCM_IV = 7, MOST_CCM_IV = 13;
constexpr uint64_t MOST_IN_16_BITS = (1 << 16) - 2;
constexpr uint64_t MOST_CHACHA_TEXT = (uint64_t(1) << 38) - 64;  // RFC 8439, 2.8

uint64_t most_to_cipher(const IMB_JOB &job, bool as_original) {
    const bool in_16_bits = job.cipher_mode == IMB_CIPHER_ECB || (job.cipher_mode == IMB_CIPHER_CBC && seals(job));
    if (as_original && in_16_bits) return MOST_IN_16_BITS;
    return job.cipher_mode == IMB_CIPHER_CHACHA20 ? MOST_CHACHA_TEXT : MOST_BYTES;
}

int check_cipher(const IMB_JOB &job, const Plan &plan, bool as_original) {
    const uint64_t bytes = job.msg_len_to_cipher_in_bytes;
    if (!has_direction(job)) return IMB_ERR_JOB_CIPH_DIR;
    if (!job.src) return IMB_ERR_JOB_NULL_SRC;
    if (!job.dst) return IMB_ERR_JOB_NULL_DST;
    if (!(plan.decrypts ? job.dec_keys : job.enc_keys)) return IMB_ERR_JOB_NULL_KEY;
    if (job.cipher_mode == IMB_CIPHER_CHACHA20 && job.key_len_in_bytes != 32) return IMB_ERR_JOB_KEY_LEN;
    if (!bytes || bytes > most_to_cipher(job, as_original) || bytes % plan.cipher->block_bytes)
        return IMB_ERR_JOB_CIPH_LEN;
    if (!plan.cipher->iv_bytes) return as_original && job.iv_len_in_bytes ? IMB_ERR_JOB_IV_LEN : 0;
    if (!job.iv) return IMB_ERR_JOB_NULL_IV;
    const uint64_t iv = job.iv_len_in_bytes;
    if (job.cipher_mode == IMB_CIPHER_CHACHA20) return iv == 12 ? 0 : IMB_ERR_JOB_IV_LEN;
    return iv == 16 || (iv == 12 && job.cipher_mode == IMB_CIPHER_CNTR) ? 0 : IMB_ERR_JOB_IV_LEN;
}

int check_tag(const IMB_JOB &job, uint64_t most) {
    if (!job.auth_tag_output) return IMB_ERR_JOB_NULL_AUTH;
    const uint64_t bytes = job.auth_tag_output_len_in_bytes;
    return bytes && bytes <= most ? 0 : IMB_ERR_JOB_AUTH_TAG_LEN;
}

// RFC 2404, 4868, 2403 and 3566; 0: none.
uint64_t ipsec_tag(Mac mac) {
    switch (mac) {
        case Mac::hmac_sha1:
        case Mac::hmac_md5:
        case Mac::xcbc: return 12;
        case Mac::hmac_sha224: return 14;
        case Mac::hmac_sha256: return 16;
        case Mac::hmac_sha384: return 24;
        case Mac::hmac_sha512: return 32;
        default: return 0;
    }
}

bool usual_tag(const IMB_JOB &job, const Plan &plan) {
    const uint64_t bytes = job.auth_tag_output_len_in_bytes;
    if (plan.mac_name == Mac::cmac_128 || plan.mac_name == Mac::cmac_256) return true;
    return bytes == ipsec_tag(plan.mac_name) || (bytes == plan.mac->tag_max && plan.mac_name != Mac::xcbc);
}

int check_mac(const IMB_JOB &job, const Plan &plan, bool as_original) {
    if (!job.src) return IMB_ERR_JOB_NULL_SRC;
    const uint64_t bytes = job.msg_len_to_hash_in_bytes;  // or bits, by the same bounds
    if (bytes > (as_original ? MOST_IN_16_BITS : MOST_BYTES)) return IMB_ERR_JOB_AUTH_LEN;
    if (as_original && NO_EMPTY_HMAC && !bytes && size_t(plan.mac_name) < HMACS) return IMB_ERR_JOB_AUTH_LEN;
    if (int error = check_tag(job, plan.mac->tag_max)) return error;
    if (as_original && !usual_tag(job, plan)) return IMB_ERR_JOB_AUTH_TAG_LEN;
    if (size_t(plan.mac_name) < HMACS) {
        if (!job.u.HMAC._hashed_auth_key_xor_ipad) return IMB_ERR_JOB_NULL_HMAC_IPAD;
        if (!job.u.HMAC._hashed_auth_key_xor_opad) return IMB_ERR_JOB_NULL_HMAC_OPAD;
    } else if (plan.mac_name == Mac::xcbc) {
        if (!job.u.XCBC._k1_expanded) return IMB_ERR_JOB_NULL_XCBC_K1_EXP;
        if (!job.u.XCBC._k2) return IMB_ERR_JOB_NULL_XCBC_K2;
        if (!job.u.XCBC._k3) return IMB_ERR_JOB_NULL_XCBC_K3;
    } else if (plan.mac->kind == CST_MAC) {
        const auto &keys = job.u.CMAC;
        if (!keys._key_expanded || !keys._skey1 || !keys._skey2) return IMB_ERR_JOB_NULL_AUTH_KEY;
    }
    return 0;
}

// Checks what all AEADs have in common. A text of no bytes needs no buffers.
int check_aead(const IMB_JOB &job, const Plan &plan, const void *aad, uint64_t aad_bytes) {
    if (!has_direction(job)) return IMB_ERR_JOB_CIPH_DIR;
    if (job.msg_len_to_cipher_in_bytes > MOST_GCM_TEXT) return IMB_ERR_JOB_CIPH_LEN;
    if (job.msg_len_to_cipher_in_bytes && !job.src) return IMB_ERR_JOB_NULL_SRC;
    if (job.msg_len_to_cipher_in_bytes && !job.dst) return IMB_ERR_JOB_NULL_DST;
    if (!job.iv) return IMB_ERR_JOB_NULL_IV;
    if (!(plan.decrypts ? job.dec_keys : job.enc_keys)) return IMB_ERR_JOB_NULL_KEY;
    if (aad_bytes > MOST_BYTES) return IMB_ERR_JOB_AAD_LEN;
    return aad_bytes && !aad ? IMB_ERR_JOB_NULL_AAD : 0;
}

int check_gcm(const IMB_JOB &job, const Plan &plan) {
    if (int error = check_aead(job, plan, job.u.GCM.aad, job.u.GCM.aad_len_in_bytes)) return error;
    if (!job.iv_len_in_bytes || job.iv_len_in_bytes > MOST_BYTES) return IMB_ERR_JOB_IV_LEN;
    return check_tag(job, 16);
}

bool right_ccm_iv(const IMB_JOB &job) {
    return job.iv_len_in_bytes >= LEAST_CCM_IV && job.iv_len_in_bytes <= MOST_CCM_IV;
}

int check_ccm(const IMB_JOB &job, const Plan &plan, bool as_original) {
    if (int error = check_aead(job, plan, job.u.CCM.aad, job.u.CCM.aad_len_in_bytes)) return error;
    const uint64_t tag = job.auth_tag_output_len_in_bytes, iv = job.iv_len_in_bytes;
    if (!right_ccm_iv(job)) return IMB_ERR_JOB_IV_LEN;
    if (int error = check_tag(job, 16)) return error;
    if (tag < 4 || tag % 2) return IMB_ERR_JOB_AUTH_TAG_LEN;
    if (job.u.CCM.aad_len_in_bytes > MOST_CCM_AAD) return IMB_ERR_JOB_AAD_LEN;
    const uint64_t count_bits = 8 * (15 - iv), bytes = job.msg_len_to_cipher_in_bytes;
    if (job.msg_len_to_hash_in_bytes > (as_original ? MOST_IN_16_BITS : MOST_GCM_TEXT)) return IMB_ERR_JOB_AUTH_LEN;
    if (bytes != job.msg_len_to_hash_in_bytes || (count_bits < 64 && bytes >> count_bits)) return IMB_ERR_JOB_CIPH_LEN;
    return job.cipher_start_src_offset_in_bytes == job.hash_start_src_offset_in_bytes ? 0 : IMB_ERR_JOB_SRC_OFFSET;
}

int check_chacha_poly(const IMB_JOB &job, const Plan &plan, bool as_original) {
    const auto &fields = job.u.CHACHA20_POLY1305;
    if (!job.src && job.msg_len_to_hash_in_bytes) return IMB_ERR_JOB_NULL_SRC;
    if (int error = check_aead(job, plan, fields.aad, fields.aad_len_in_bytes)) return error;
    if (job.key_len_in_bytes != 32) return IMB_ERR_JOB_KEY_LEN;
    if (job.iv_len_in_bytes != 12) return IMB_ERR_JOB_IV_LEN;
    if (as_original && job.auth_tag_output_len_in_bytes != 16) return IMB_ERR_JOB_AUTH_TAG_LEN;
    return check_tag(job, 16);
}

// Checks a job that is one step of several: which step it is decides what it needs.
int check_segments(const IMB_JOB &job, bool gcm, bool as_original) {
    const bool begins = number_of(job.sgl_state) == IMB_SGL_INIT || number_of(job.sgl_state) == IMB_SGL_ALL,
               ends = number_of(job.sgl_state) == IMB_SGL_COMPLETE || number_of(job.sgl_state) == IMB_SGL_ALL;
    if (int error = wrong_state(job)) return error;
    if (number_of(job.sgl_state) > IMB_SGL_ALL) return IMB_ERR_CIPH_MODE;  // where states have no error of their own
    const void *const context = gcm ? static_cast<const void *>(job.u.GCM.ctx) : job.u.CHACHA20_POLY1305.ctx;
    const void *const aad = gcm ? job.u.GCM.aad : job.u.CHACHA20_POLY1305.aad;
    const uint64_t aad_bytes = gcm ? job.u.GCM.aad_len_in_bytes : job.u.CHACHA20_POLY1305.aad_len_in_bytes;
    if (job.msg_len_to_cipher_in_bytes > (gcm ? MOST_GCM_TEXT : MOST_CHACHA_TEXT)) return IMB_ERR_JOB_CIPH_LEN;
    if (!gcm && job.key_len_in_bytes != 32) return IMB_ERR_JOB_KEY_LEN;
    if (as_original && !gcm && job.auth_tag_output_len_in_bytes != 16) return IMB_ERR_JOB_AUTH_TAG_LEN;
    if (!context) return IMB_ERR_JOB_NULL_SGL_CTX;
    // Opening, the original wants dec_keys of GCM too, and reads enc_keys.
    if (!job.enc_keys || (gcm && !seals(job) && !job.dec_keys)) return IMB_ERR_JOB_NULL_KEY;
    if (!has_direction(job)) return IMB_ERR_JOB_CIPH_DIR;
    if (begins && !job.iv) return IMB_ERR_JOB_NULL_IV;
    if ((begins || IV_IN_EVERY_STEP) && (gcm ? !job.iv_len_in_bytes : job.iv_len_in_bytes != 12))
        return IMB_ERR_JOB_IV_LEN;
    if (begins && aad_bytes && !aad) return IMB_ERR_JOB_NULL_AAD;
    const bool brings = gcm ? number_of(job.sgl_state) == IMB_SGL_UPDATE : number_of(job.sgl_state) != IMB_SGL_ALL;
    if (brings && job.msg_len_to_cipher_in_bytes && !(job.src && job.dst))
        return !job.src ? IMB_ERR_JOB_NULL_SRC : IMB_ERR_JOB_NULL_DST;
    if (number_of(job.sgl_state) == IMB_SGL_ALL) {
        if (!job.sgl_io_segs) return IMB_ERR_JOB_NULL_SRC;
        for (uint64_t i = 0; i < job.num_sgl_io_segs; i++) {
            const IMB_SGL_IOV &segment = job.sgl_io_segs[i];
            if (segment.len && !(segment.in && segment.out))
                return segment.in ? IMB_ERR_JOB_NULL_DST : IMB_ERR_JOB_NULL_SRC;
        }
    }
    return ends ? check_tag(job, 16) : 0;
}

int check_lone_hash(const IMB_JOB &job, const Plan &plan, bool as_original) {
    if (!job.src && (job.msg_len_to_hash_in_bytes || (as_original && plan.kind == Kind::gmac)))
        return IMB_ERR_JOB_NULL_SRC;
    if (job.msg_len_to_hash_in_bytes > MOST_BYTES) return IMB_ERR_JOB_AUTH_LEN;
    if (plan.kind == Kind::poly1305) {
        if (!job.u.POLY1305._key) return IMB_ERR_JOB_NULL_AUTH_KEY;
        if (as_original && job.auth_tag_output_len_in_bytes != 16) return IMB_ERR_JOB_AUTH_TAG_LEN;
    } else if (plan.kind == Kind::ghash) {
        if (!job.u.GHASH._key) return IMB_ERR_JOB_NULL_AUTH_KEY;
        if (!job.u.GHASH._init_tag) return IMB_ERR_JOB_NULL_GHASH_INIT_TAG;
    } else {
        if (!job.u.GMAC._key) return IMB_ERR_JOB_NULL_AUTH_KEY;
        if (!job.u.GMAC._iv) return IMB_ERR_JOB_NULL_IV;
        if (!job.u.GMAC.iv_len_in_bytes) return IMB_ERR_JOB_IV_LEN;
    }
    return check_tag(job, 16);
}

int check_impossible(const IMB_JOB &job) {
    const unsigned mode = number_of(job.cipher_mode);
    const bool cipher = mode >= IMB_CIPHER_CBC && mode < IMB_CIPHER_NUM;
    if (mode == IMB_CIPHER_CCM && !right_ccm_iv(job)) return IMB_ERR_JOB_IV_LEN;
    return cipher && number_of(job.hash_alg) != IMB_AUTH_CHACHA20_POLY1305 ? IMB_ERR_HASH_ALGO : IMB_ERR_CIPH_MODE;
}

int check_apart(const IMB_JOB &job, bool as_original) {
    if (is_custom(job, true) && !job.cipher_func) return EFAULT;
    if (is_custom(job, true) && !has_direction(job)) return IMB_ERR_JOB_CIPH_DIR;
    if (is_custom(job, false) && !job.hash_func) return EFAULT;
    for (const bool cipher : {true, false}) {
        if (is_custom(job, cipher)) continue;
        const IMB_JOB half = half_of(job, cipher);
        if (int error = check_job(half, plan_of(half), as_original)) return error;
    }
    return 0;
}

}  // namespace

int check_job(const IMB_JOB &job, const Plan &plan, bool as_original) {
    switch (plan.kind) {
        case Kind::none:
        case Kind::real: return 0;
        case Kind::composed: {
            if (plan.cipher)
                if (int error = check_cipher(job, plan, as_original)) return error;
            return plan.mac ? check_mac(job, plan, as_original) : 0;
        }
        case Kind::gcm: return check_gcm(job, plan);
        case Kind::gcm_segments: return check_segments(job, true, as_original);
        case Kind::chacha_segments: return check_segments(job, false, as_original);
        case Kind::ccm: return check_ccm(job, plan, as_original);
        case Kind::chacha_poly: return check_chacha_poly(job, plan, as_original);
        case Kind::gmac:
        case Kind::ghash:
        case Kind::poly1305: return check_lone_hash(job, plan, as_original);
        case Kind::apart: return check_apart(job, as_original);
        case Kind::impossible: return check_impossible(job);
    }
    return IMB_ERR_CIPH_MODE;
}

}  // namespace cst::imb
