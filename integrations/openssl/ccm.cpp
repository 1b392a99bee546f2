#include "ccm.hpp"

namespace cst::ossl {

const OSSL_PARAM Ccm::GETTABLE[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, nullptr, 0),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, nullptr),
                                    OSSL_PARAM_END};
const OSSL_PARAM Ccm::SETTABLE[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, nullptr, 0),
                                    OSSL_PARAM_END};

Ccm::Ccm(const Ccm &other) : Context(other) {
    memcpy(iv_, other.iv_, sizeof(iv_));
    memcpy(nonce_, other.nonce_, sizeof(nonce_));
    memcpy(tag_, other.tag_, sizeof(tag_));
    memcpy(tls_head_, other.tls_head_, sizeof(tls_head_));
    iv_bytes_ = other.iv_bytes_;
    tag_bytes_ = other.tag_bytes_;
    pad_ = other.pad_;
    text_bytes_ = other.text_bytes_;
    has_iv_ = other.has_iv_;
    tag_is_ = other.tag_is_;
    has_length_ = other.has_length_;
    tls_ = other.tls_;
    has_head_ = other.has_head_;
    processed_ = other.processed_;
    made_bytes_ = other.made_bytes_;
    if (other.aad_bytes_) take_aad({other.aad_, other.aad_bytes_});
    aad_bytes_ = other.aad_bytes_;
}

Ccm::~Ccm() {
    if (aad_) provider_.release(aad_, aad_bytes_);
}

void Ccm::drop_aad() {
    if (aad_) provider_.release(aad_, aad_bytes_);
    aad_ = nullptr;
    aad_bytes_ = 0;
}

bool Ccm::take_aad(Bytes aad) {
    drop_aad();
    if (!aad.n) return true;
    aad_ = static_cast<uint8_t *>(provider_.allocate(aad.n));
    if (!aad_) return raise(FAILED);
    memcpy(aad_, aad.data, aad_bytes_ = aad.n);
    return true;
}

bool Ccm::init(bool seals, Bytes key, Bytes iv) {
    if (seals != seals_) processed_ = false;
    seals_ = seals;
    if (iv.data) {
        if (iv.n != iv_bytes_) return raise(IV_LENGTH);
        memcpy(iv_, iv.data, iv.n);
        has_iv_ = true;
        has_length_ = processed_ = false;
        drop_aad();
    }
    return !key.data || take_key(key);
}

// A call without buffers sets the length of the text to come; a call without an output passes AAD.
bool Ccm::update(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (out && room < in.n) return raise(NO_ROOM);
    return part(out, written, room, in) || raise(OPERATION);
}

bool Ccm::part(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (!key_.get()) return false;
    if (tls_) return record(out, written, in);
    if (out && !in.data) return !in.n;
    if (!ready(out, out ? room : in.n, in) || !has_iv_) return false;
    if (out) return text(out, written, in);
    if (!in.data) {
        text_bytes_ = in.n;
        memcpy(nonce_, iv_, sizeof(nonce_));
        has_length_ = true;
    } else {
        if (!has_length_ && in.n) return false;
        if (!take_aad(in)) return false;
    }
    *written = in.n;
    return true;
}

// in.data NULL: the end.
bool Ccm::cipher(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (!in.data && out && !tls_) return final(out, written, room);
    if (out && room < in.n) return raise(NO_ROOM);
    return part(out, written, room, in);
}

bool Ccm::text(uint8_t *out, size_t *written, Bytes in) {
    if (!seals_ && tag_is_ == Tag::none) return no_tag();
    if (!seals_ && tag_is_ != Tag::given) return false;
    if (has_length_ && in.n != text_bytes_) return false;
    const uint8_t *const nonce = has_length_ ? nonce_ : iv_;
    const int error = seals_ ? cst_seal(key_.get(), nonce, iv_bytes_, aad_, aad_bytes_, in.data, in.n, out, in.n,
                                        nullptr, tag_, tag_bytes_)
                             : cst_open(key_.get(), nonce, iv_bytes_, aad_, aad_bytes_, in.data, in.n, out, in.n,
                                        nullptr, tag_, tag_bytes_);
    // Whatever comes of it: another text under this nonce would be given the same keystream.
    has_iv_ = has_length_ = false;
    tag_is_ = seals_ && !error ? Tag::made : Tag::none;
    made_bytes_ = tag_bytes_;
    processed_ = !error;
    drop_aad();
    if (!provider_.done(error)) return false;
    *written = in.n;
    return true;
}

// Under an IV that no text has used, this is the end of the empty one. What is opened ends only behind a right tag.
bool Ccm::final(uint8_t *, size_t *, size_t) {
    if (!key_.get() || tls_) return false;
    uint8_t nothing[BLOCK];
    size_t none;
    if (has_iv_) return text(nothing, &none, {nothing, 0});
    return seals_ || processed_;
}

// RFC 6655, 3: explicit nonce (the sequence number), text, tag, in place. A head is for one record: a second one would
// be sealed under the same nonce.
bool Ccm::record(uint8_t *out, size_t *written, Bytes in) {
    if (!has_head_ || !in.data || out != in.data || in.n < TLS_EXPLICIT + tag_bytes_ ||
        iv_bytes_ != TLS_FIXED + TLS_EXPLICIT)
        return false;
    has_head_ = false;
    if (seals_) memcpy(out, tls_head_, TLS_EXPLICIT);
    memcpy(iv_ + TLS_FIXED, out, TLS_EXPLICIT);
    const size_t n = in.n - TLS_EXPLICIT - tag_bytes_;
    uint8_t *const text = out + TLS_EXPLICIT, *const tag = text + n;
    const cst_key *const key = key_.get();
    const size_t tag_n = tag_bytes_;
    const int error =
        (seals_ ? cst_seal(key, iv_, iv_bytes_, tls_head_, TLS_HEAD, text, n, text, n, nullptr, tag, tag_n)
                : cst_open(key, iv_, iv_bytes_, tls_head_, TLS_HEAD, text, n, text, n, nullptr, tag, tag_n));
    if (!provider_.done(error)) return false;
    *written = seals_ ? in.n : n;
    return true;
}

bool Ccm::get(OSSL_PARAM params[]) {
    OSSL_PARAM *const tag = find(params, OSSL_CIPHER_PARAM_AEAD_TAG);
    for (const char *name : {OSSL_CIPHER_PARAM_IV, OSSL_CIPHER_PARAM_UPDATED_IV})
        if (const OSSL_PARAM *its = find(params, name); its && its->data_size < iv_bytes_) return raise(IV_LENGTH);
    if (!put_if(params, OSSL_CIPHER_PARAM_KEYLEN, info_.key_bytes) ||
        !put_if(params, OSSL_CIPHER_PARAM_IVLEN, iv_bytes_) ||
        !put_if(params, OSSL_CIPHER_PARAM_AEAD_TAGLEN, tag_bytes_) ||
        !put_if(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, pad_) ||
        !put_octets_if(params, OSSL_CIPHER_PARAM_IV, iv_, iv_bytes_) ||
        !put_octets_if(params, OSSL_CIPHER_PARAM_UPDATED_IV, iv_, iv_bytes_))
        return raise(UNREADABLE);
    return !tag || get_tag(tag);
}

// Once.
bool Ccm::get_tag(OSSL_PARAM *param) {
    if (!seals_ || tag_is_ != Tag::made) return raise(NO_TAG);
    if (!is_octets(*param)) return raise(UNREADABLE);
    if (!param->data || param->data_size != made_bytes_ || !put_octets(param, tag_, made_bytes_)) return false;
    tag_is_ = Tag::none;
    return true;
}

bool Ccm::set(const OSSL_PARAM params[]) {
    const OSSL_PARAM *const tag = find(params, OSSL_CIPHER_PARAM_AEAD_TAG);
    if (tag && !set_tag(*tag)) return false;
    size_t iv_bytes = iv_bytes_;
    if (!get_if(params, OSSL_CIPHER_PARAM_AEAD_IVLEN, &iv_bytes)) return raise(BAD_PARAMETER);
    if (iv_bytes < LEAST_IV || iv_bytes > MOST_IV) return raise(IV_LENGTH);
    if (iv_bytes != iv_bytes_) has_iv_ = false;
    iv_bytes_ = iv_bytes;
    const OSSL_PARAM *const head = find(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD),
                            *const fixed = find(params, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED);
    if (head && !set_tls_head(*head)) return false;
    if (!fixed) return true;
    if (!is_octets(*fixed)) return raise(BAD_PARAMETER);
    if (!fixed->data || fixed->data_size != TLS_FIXED) return raise(IV_LENGTH);
    memcpy(iv_, fixed->data, TLS_FIXED);
    return true;
}

bool Ccm::set_tag(const OSSL_PARAM &param) {
    if (!is_octets(param)) return raise(BAD_PARAMETER);
    if (param.data_size % 2 || param.data_size < 4 || param.data_size > TAG) return raise(TAG_LENGTH);
    if (param.data) {
        if (seals_) return raise(TAG_NOT_NEEDED);
        memcpy(tag_, param.data, param.data_size);
        tag_is_ = Tag::given;
    } else if (tag_is_ == Tag::given && param.data_size != tag_bytes_) {
        tag_is_ = Tag::stale;  // that one has another length
    }
    tag_bytes_ = param.data_size;
    return true;
}

bool Ccm::set_tls_head(const OSSL_PARAM &param) {
    if (!take_tls_head(param, TLS_EXPLICIT + (seals_ ? 0 : tag_bytes_), tls_head_, AAD_LENGTH)) return false;
    pad_ = tag_bytes_;
    return tls_ = has_head_ = true;
}

}  // namespace cst::ossl
