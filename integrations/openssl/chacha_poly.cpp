#include "chacha_poly.hpp"

#include "suite/registers.hpp"
#include "suite/secret.hpp"

namespace cst::ossl {

const OSSL_PARAM ChaChaPoly::GETTABLE[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                           OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                           OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, nullptr),
                                           OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, nullptr, 0),
                                           OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, nullptr, 0),
                                           OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, nullptr, 0),
                                           OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, nullptr),
                                           OSSL_PARAM_END};
const OSSL_PARAM ChaChaPoly::SETTABLE[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                           OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                           OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, nullptr, 0),
                                           OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, nullptr, 0),
                                           OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, nullptr, 0),
                                           OSSL_PARAM_END};

bool ChaChaPoly::init(bool seals, Bytes key, Bytes iv) {
    seals_ = seals;
    if (iv.data) {
        if (iv.n != NONCE) return raise(IV_LENGTH);
        memcpy(nonce_, iv.data, NONCE);
        iv_is_ = Iv::waits;
        tls_ = false;
    }
    if (!key.data) return true;
    if (iv_is_ == Iv::begun) iv_is_ = Iv::used;  // under another key
    tls_ = false;
    return take_key(key);
}

bool ChaChaPoly::begin() {
    if (!key_.get()) return false;
    if (iv_is_ == Iv::begun) return true;
    if (iv_is_ != Iv::waits) return false;
    if (!parts_.begin(parts_key(), nonce_)) return raise(FAILED);
    iv_is_ = Iv::begun;
    return true;
}

bool ChaChaPoly::update(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (!in.n) return true;
    if (room < in.n) return raise(NO_ROOM);
    return tls_ && out ? record(out, written, in) : ready(out, room, in) && text(out, written, in);
}

bool ChaChaPoly::cipher(uint8_t *out, size_t *written, size_t room, Bytes in) {
    return in.data ? update(out, written, room, in) : final(out, written, room);
}

bool ChaChaPoly::text(uint8_t *out, size_t *written, Bytes in) {
    const ClearRegisters clear(cpu());
    if (!begin()) return false;
    if (!out) {
        if (!parts_.aad(parts_key(), in)) return false;
    } else if (!parts_.text(parts_key(), in, out, !seals_)) {
        iv_is_ = Iv::used;  // a part may be done: the message can have no tag
        return false;
    }
    *written = in.n;
    return true;
}

bool ChaChaPoly::final(uint8_t *, size_t *, size_t) {
    if (!seals_ && !tag_bytes_) return no_tag();
    if (tls_) return false;
    const ClearRegisters clear(cpu());
    if (!begin()) return false;
    if (!seals_ && !has_tag_) return false;
    uint8_t tag[TAG];
    parts_.tag(parts_key(), tag);
    iv_is_ = Iv::ended;
    if (!seals_) {
        const bool right = same_bytes(tag, tag_, tag_bytes_);
        wipe(tag, sizeof(tag));
        return right;
    }
    memcpy(tag_, tag, TAG);
    has_tag_ = false;
    return true;
}

// Text and tag. Records and other texts do not share an IV: the nonce of record 0 is the IV itself.
bool ChaChaPoly::record(uint8_t *out, size_t *written, Bytes in) {
    if (!key_.get() || in.n != tls_bytes_ + TAG || (iv_is_ != Iv::waits && iv_is_ != Iv::records)) return false;
    tls_ = false;
    iv_is_ = Iv::records;
    uint8_t nonce[NONCE];
    memcpy(nonce, nonce_, NONCE);
    for (size_t i = 0; i < 8; i++) nonce[NONCE - 8 + i] ^= tls_head_[i];
    const size_t n = tls_bytes_;
    const int error =
        (seals_
             ? cst_seal(key_.get(), nonce, NONCE, tls_head_, TLS_HEAD, in.data, n, out, n, nullptr, out + n, TAG)
             : cst_open(key_.get(), nonce, NONCE, tls_head_, TLS_HEAD, in.data, n, out, n, nullptr, in.data + n, TAG));
    if (!provider_.done(error)) return false;
    *written = seals_ ? in.n : n;
    return true;
}

bool ChaChaPoly::get(OSSL_PARAM params[]) {
    OSSL_PARAM *const tag = find(params, OSSL_CIPHER_PARAM_AEAD_TAG);
    if (!put_if(params, OSSL_CIPHER_PARAM_KEYLEN, info_.key_bytes) || !put_if(params, OSSL_CIPHER_PARAM_IVLEN, NONCE) ||
        !put_if(params, OSSL_CIPHER_PARAM_AEAD_TAGLEN, tag_bytes_) ||
        !put_if(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, pad_) ||
        !put_octets_if(params, OSSL_CIPHER_PARAM_IV, nonce_, NONCE) ||
        !put_octets_if(params, OSSL_CIPHER_PARAM_UPDATED_IV, nonce_, NONCE))
        return raise(UNREADABLE);
    return !tag || get_tag(tag);
}

bool ChaChaPoly::get_tag(OSSL_PARAM *param) {
    if (!is_octets(*param) || !param->data) return raise(UNREADABLE);
    if (!seals_ || iv_is_ != Iv::ended) return raise(NO_TAG);
    if (!param->data_size || param->data_size > TAG) return raise(TAG_LENGTH);
    return put_octets(param, tag_, param->data_size) || raise(UNREADABLE);
}

bool ChaChaPoly::set(const OSSL_PARAM params[]) {
    size_t key_bytes = info_.key_bytes, iv_bytes = NONCE;
    if (!get_if(params, OSSL_CIPHER_PARAM_KEYLEN, &key_bytes) || !get_if(params, OSSL_CIPHER_PARAM_IVLEN, &iv_bytes))
        return raise(BAD_PARAMETER);
    if (key_bytes != info_.key_bytes) return raise(KEY_LENGTH);
    if (iv_bytes != NONCE) return raise(IV_LENGTH);
    const OSSL_PARAM *const tag = find(params, OSSL_CIPHER_PARAM_AEAD_TAG),
                            *const head = find(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD),
                            *const fixed = find(params, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED);
    if ((tag && !set_tag(*tag)) || (head && !set_tls_head(*head))) return false;
    if (!fixed) return true;
    if (!is_octets(*fixed)) return raise(BAD_PARAMETER);
    if (!fixed->data || fixed->data_size != NONCE) return raise(IV_LENGTH);
    memcpy(nonce_, fixed->data, NONCE);
    if (iv_is_ != Iv::ended) iv_is_ = Iv::waits;  // behind an end only an init begins
    return true;
}

bool ChaChaPoly::set_tag(const OSSL_PARAM &param) {
    if (!is_octets(param)) return raise(BAD_PARAMETER);
    if (!param.data_size || param.data_size > TAG) return raise(TAG_LENGTH);
    if (param.data) {
        if (seals_) return raise(TAG_NOT_NEEDED);
        memcpy(tag_, param.data, param.data_size);
        has_tag_ = true;
    } else if (param.data_size != tag_bytes_) {
        has_tag_ = false;  // that one has another length
    }
    tag_bytes_ = param.data_size;
    return true;
}

bool ChaChaPoly::set_tls_head(const OSSL_PARAM &param) {
    if (!take_tls_head(param, seals_ ? 0 : TAG, tls_head_, AAD_LENGTH)) return false;
    tls_bytes_ = size_t(tls_head_[TLS_HEAD - 2]) << 8 | tls_head_[TLS_HEAD - 1];
    pad_ = TAG;
    return tls_ = true;
}

}  // namespace cst::ossl
