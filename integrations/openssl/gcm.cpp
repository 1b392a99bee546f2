#include "gcm.hpp"

#include "suite/registers.hpp"
#include "suite/secret.hpp"

namespace cst::ossl {
namespace {

// The CTR suite of a GCM suite, whose keys are as long.
SuiteId counter_of(SuiteId gcm) { return SuiteId(CTR_128 + (gcm - GCM_128)); }
static_assert(GCM_256 - GCM_128 == CTR_256 - CTR_128);

void count_on_64(uint8_t *end) {
    for (int i = 1; i <= 8; i++)
        if (++end[-i]) return;
}

}  // namespace

const OSSL_PARAM Gcm::GETTABLE[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, nullptr, 0),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, nullptr, 0),
                                    OSSL_PARAM_END};
const OSSL_PARAM Gcm::SETTABLE[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, nullptr, 0),
                                    OSSL_PARAM_END};

Gcm::Gcm(const Provider &provider, const CipherInfo &info) : Context(provider, info), iv_bytes_(info.iv_bytes) {}

bool Gcm::init(bool seals, Bytes key, Bytes iv) {
    seals_ = seals;
    if (iv.data) {
        if (!iv.n || iv.n > MOST_IV) return raise(IV_LENGTH);
        if (iv.n != iv_bytes_) counts_ = false;
        memcpy(iv_, iv.data, iv_bytes_ = iv.n);
        iv_is_ = Iv::waits;
        random_iv_ = false;
    }
    if (!key.data) return true;
    if (iv_is_ == Iv::begun) iv_is_ = Iv::used;  // under another key
    records_ = 0;
    return take_key(key);
}

// The message, if its IV waits; an IV that nobody has set is made, for sealing (SP 800-38D, 8.2.2).
bool Gcm::begin() {
    if (!key_.get() || iv_is_ == Iv::used || (iv_is_ == Iv::none && !generate_iv())) return false;
    if (iv_is_ == Iv::waits) begin_parts();
    return true;
}

void Gcm::begin_parts() {
    const ClearRegisters clear(cpu());
    parts_.begin(key(), {iv_, iv_bytes_});
    iv_is_ = Iv::begun;
}

bool Gcm::generate_iv() {
    if (!seals_ || iv_bytes_ < GCM_IV) return false;
    if (!random_bytes(iv_, iv_bytes_)) return raise(NO_RANDOM);
    iv_is_ = Iv::waits;
    return random_iv_ = true;
}

bool Gcm::update(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (!in.n) return true;
    if (room < in.n) return raise(NO_ROOM);
    return cipher(out, written, room, in) || raise(OPERATION);
}

// in.data NULL: the end.
bool Gcm::cipher(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (tls_) return record(out, written, in);
    if (!in.data) return end();
    return ready(out, room, in) && text(out, written, in);
}

bool Gcm::text(uint8_t *out, size_t *written, Bytes in) {
    if (!begin()) return false;
    const ClearRegisters clear(cpu());
    if (!out) {
        if (!parts_.aad(key(), in)) return false;
    } else if (!parts_.text(key(), suite(counter_of(info_.suite)), in, out, !seals_)) {
        iv_is_ = Iv::used;  // a part may be done: the message can have no tag
        return false;
    }
    *written = in.n;
    return true;
}

bool Gcm::final(uint8_t *, size_t *, size_t) {
    if (!tls_) return end();
    tls_ = false;
    iv_is_ = Iv::used;
    return false;
}

bool Gcm::end() {
    if (!begin()) return false;
    if (!seals_ && !has_tag_) return no_tag();
    iv_is_ = Iv::used;
    const ClearRegisters clear(cpu());
    uint8_t tag[TAG];
    parts_.tag(key(), tag);
    if (!seals_) {
        const bool right = same_bytes(tag, tag_, tag_bytes_);
        wipe(tag, sizeof(tag));
        return right;
    }
    memcpy(tag_, tag, TAG);
    tag_bytes_ = TAG;
    has_tag_ = false;
    return true;
}

// RFC 5288, 3: explicit IV, text, tag, in place.
bool Gcm::record(uint8_t *out, size_t *written, Bytes in) {
    tls_ = false;
    const Iv was = iv_is_;
    iv_is_ = Iv::used;
    if (!key_.get() || out != in.data || in.n < TLS_EXPLICIT + TAG || !counts_ || was == Iv::none) return false;
    if (seals_ && !++records_) return raise(TOO_MANY_RECORDS);
    const size_t n = in.n - TLS_EXPLICIT - TAG;
    uint8_t *const text = out + TLS_EXPLICIT;
    int error;
    if (seals_) {
        uint8_t iv[MOST_IV];
        memcpy(iv, iv_, iv_bytes_);
        take_explicit_iv(out);
        error = cst_seal(key_.get(), iv, iv_bytes_, tls_head_, TLS_HEAD, text, n, text, n, nullptr, text + n, TAG);
    } else {
        memcpy(iv_ + iv_bytes_ - TLS_EXPLICIT, out, TLS_EXPLICIT);
        error = cst_open(key_.get(), iv_, iv_bytes_, tls_head_, TLS_HEAD, text, n, text, n, nullptr, text + n, TAG);
    }
    if (!provider_.done(error)) return false;
    *written = seals_ ? in.n : n;
    return true;
}

// The invocation field, and counts it on.
void Gcm::take_explicit_iv(uint8_t *to) {
    memcpy(to, iv_ + iv_bytes_ - TLS_EXPLICIT, TLS_EXPLICIT);
    count_on_64(iv_ + iv_bytes_);
}

bool Gcm::get(OSSL_PARAM params[]) {
    OSSL_PARAM *const iv = find(params, OSSL_CIPHER_PARAM_IV), *const now = find(params, OSSL_CIPHER_PARAM_UPDATED_IV);
    if ((iv || now) && iv_is_ == Iv::none && !(provider_.openssl_is_from(4, 0) && generate_iv())) return false;
    for (const OSSL_PARAM *its : {iv, now})
        if (its && its->data_size < iv_bytes_) return raise(IV_LENGTH);
    OSSL_PARAM *const tag = find(params, OSSL_CIPHER_PARAM_AEAD_TAG), *const next =
                                                                          find(params,
                                                                               OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN);
    if (!put_if(params, OSSL_CIPHER_PARAM_KEYLEN, info_.key_bytes) ||
        !put_if(params, OSSL_CIPHER_PARAM_IVLEN, iv_bytes_) ||
        !put_if(params, OSSL_CIPHER_PARAM_AEAD_TAGLEN, tag_bytes_ ? tag_bytes_ : TAG) ||
        !put_if(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, pad_) || (iv && !put_octets(iv, iv_, iv_bytes_)) ||
        (now && !put_octets(now, iv_, iv_bytes_)) || !put_if(params, "iv-generated", random_iv_))
        return raise(UNREADABLE);
    return (!tag || get_tag(tag)) && (!next || next_iv(next));
}

bool Gcm::get_tag(OSSL_PARAM *param) {
    const size_t n = param->data ? param->data_size : tag_bytes_;
    if (!seals_ || !tag_bytes_ || !n || n > TAG) return raise(WRONG_TAG);
    return put_octets(param, tag_, n) || raise(UNREADABLE);
}

// The next explicit IV; a message with it begins.
bool Gcm::next_iv(OSSL_PARAM *param) {
    if (!counts_ || !key_.get() || !is_octets(*param) || !param->data) return false;
    const size_t n = param->data_size && param->data_size <= iv_bytes_ ? param->data_size : iv_bytes_;
    if (param->data_size && param->data_size < n) return false;
    begin_parts();
    memcpy(param->data, iv_ + iv_bytes_ - n, n);
    param->return_size = n;
    count_on_64(iv_ + iv_bytes_);
    return true;
}

bool Gcm::set(const OSSL_PARAM params[]) {
    const OSSL_PARAM *const tag = find(params, OSSL_CIPHER_PARAM_AEAD_TAG);
    if (tag && !set_tag(*tag)) return false;
    size_t iv_bytes = iv_bytes_;
    if (!get_if(params, OSSL_CIPHER_PARAM_AEAD_IVLEN, &iv_bytes)) return raise(BAD_PARAMETER);
    if (!iv_bytes || iv_bytes > MOST_IV) return raise(IV_LENGTH);
    if (iv_bytes != iv_bytes_) {
        if (iv_is_ != Iv::none) iv_is_ = Iv::used;
        iv_bytes_ = iv_bytes;
        counts_ = false;
    }
    const OSSL_PARAM *const head = find(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD),
                            *const fixed = find(params, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED),
                            *const rest = find(params, OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV);
    return (!head || set_tls_head(*head)) && (!fixed || set_fixed_iv(*fixed)) && (!rest || set_explicit_iv(*rest));
}

bool Gcm::set_tag(const OSSL_PARAM &param) {
    if (!is_octets(param) || !param.data || param.data_size > TAG) return raise(BAD_PARAMETER);
    if (seals_ || !param.data_size) return raise(WRONG_TAG);
    memcpy(tag_, param.data, tag_bytes_ = param.data_size);
    return has_tag_ = true;
}

bool Gcm::set_tls_head(const OSSL_PARAM &param) {
    if (!take_tls_head(param, TLS_EXPLICIT + (seals_ ? 0 : TAG), tls_head_, WRONG_AAD)) return false;
    pad_ = TAG;
    return tls_ = true;
}

bool Gcm::set_fixed_iv(const OSSL_PARAM &param) {
    if (!is_octets(param) || !param.data) return raise(BAD_PARAMETER);
    const size_t n = param.data_size;
    if (iv_bytes_ < TLS_EXPLICIT) return raise(BAD_PARAMETER);
    if (n == size_t(-1)) {  // EVP_CIPHER_CTX_ctrl with -1: the whole
        memcpy(iv_, param.data, iv_bytes_);
    } else {
        if (n < TLS_FIXED || n > iv_bytes_ || iv_bytes_ - n < TLS_EXPLICIT) return raise(BAD_PARAMETER);
        memcpy(iv_, param.data, n);
        if (seals_ && !random_bytes(iv_ + n, iv_bytes_ - n)) return raise(NO_RANDOM);
        random_iv_ = seals_;
    }
    iv_is_ = Iv::waits;
    return counts_ = true;
}

bool Gcm::set_explicit_iv(const OSSL_PARAM &param) {
    if (!counts_ || !key_.get() || seals_ || !is_octets(param) || !param.data || param.data_size > iv_bytes_)
        return false;
    memcpy(iv_ + iv_bytes_ - param.data_size, param.data, param.data_size);
    begin_parts();
    return true;
}

}  // namespace cst::ossl
