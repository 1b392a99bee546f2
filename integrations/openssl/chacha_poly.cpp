#include "chacha_poly.hpp"

#include <algorithm>

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

namespace {

constexpr uint64_t MOST_TEXT = (uint64_t(1) << 38) - 64, MOST_AAD = uint64_t(1) << 60;

}  // namespace

const Suite &ChaChaPoly::suite() const { return *reinterpret_cast<const Suite *>(provider_.suite(info_.suite)); }

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
    return take_key(key) && provider_.done(cipher_key_.set(key.data, key.n));
}

bool ChaChaPoly::begin() {
    if (!key_.get()) return raise(NO_KEY);
    if (iv_is_ == Iv::begun) return true;
    if (iv_is_ != Iv::waits) return raise(NO_IV);
    aad_bytes_ = text_bytes_ = block_ = 0;
    memset(stream_, 0, sizeof(stream_));
    if (!add_stream(stream_, stream_, KEY_STREAM)) return false;
    poly_.begin(stream_);
    iv_is_ = Iv::begun;
    return true;
}

// Continues from a block of the keystream on, of which the last may be used in part.
bool ChaChaPoly::add_stream(const uint8_t *in, uint8_t *out, size_t n) {
    uint8_t iv[sizeof(block_) + NONCE];
    memcpy(iv, &block_, sizeof(block_));
    memcpy(iv + sizeof(block_), nonce_, NONCE);
    block_ += uint32_t(n / KEY_STREAM);
    return provider_.done(cst_seal(cipher_key_.get(), iv, sizeof(iv), nullptr, 0, in, n, out, n, nullptr, nullptr, 0));
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
    if (!begin()) return false;
    const ClearRegisters clear(suite().engine->cpu());
    if (!out) {
        if (text_bytes_) return raise(WRONG_ORDER);
        if (in.n > MOST_AAD - aad_bytes_) return raise(AAD_LENGTH);
        aad_bytes_ += in.n;
        poly_.add(suite(), in.data, in.n);
    } else {
        if (in.n > MOST_TEXT - text_bytes_) return raise(DATA_LENGTH);
        if (!text_bytes_) poly_.fill(suite());
        constexpr size_t MOST = 8192;  // what was enciphered is hashed while it is in the cache
        for (size_t at = 0; at < in.n; at += MOST) {
            const size_t n = std::min(MOST, in.n - at);
            if (!seals_) poly_.add(suite(), in.data + at, n);
            if (!encipher(in.data + at, out + at, n)) return false;
            if (seals_) poly_.add(suite(), out + at, n);
        }
    }
    *written = in.n;
    return true;
}

bool ChaChaPoly::encipher(const uint8_t *in, uint8_t *out, size_t n) {
    const auto go_on = [&](size_t some) {
        text_bytes_ += some;
        in += some;
        out += some;
        n -= some;
    };
    const auto use_stream = [&] {
        const size_t at = size_t(text_bytes_ % KEY_STREAM), some = std::min(n, KEY_STREAM - at);
        for (size_t i = 0; i < some; i++) out[i] = in[i] ^ stream_[at + i];
        go_on(some);
    };
    if (!text_bytes_) block_ = 1;
    if (text_bytes_ % KEY_STREAM) use_stream();
    if (const size_t whole = n / KEY_STREAM * KEY_STREAM) {
        if (!add_stream(in, out, whole)) return false;
        go_on(whole);
    }
    if (!n) return true;
    memset(stream_, 0, KEY_STREAM);
    if (!add_stream(stream_, stream_, KEY_STREAM)) return false;
    use_stream();
    return true;
}

bool ChaChaPoly::final(uint8_t *, size_t *, size_t) {
    if (tls_) return raise(WRONG_ORDER);
    if (!begin()) return false;
    if (!seals_ && !tag_bytes_) return raise(NO_TAG);
    const ClearRegisters clear(suite().engine->cpu());
    uint8_t tag[TAG];
    poly_.fill(suite());
    poly_.end(suite(), aad_bytes_, text_bytes_, tag);
    wipe(stream_, sizeof(stream_));
    iv_is_ = Iv::used;
    if (!seals_) {
        const bool right = same_bytes(tag, tag_, tag_bytes_);
        wipe(tag, sizeof(tag));
        return right || raise(NOT_AUTHENTIC);
    }
    memcpy(tag_, tag, TAG);
    return true;
}

// Text and tag. Records and other texts do not share an IV: the nonce of record 0 is the IV itself.
bool ChaChaPoly::record(uint8_t *out, size_t *written, Bytes in) {
    if (!key_.get()) return raise(NO_KEY);
    if (in.n != tls_bytes_ + TAG) return raise(DATA_LENGTH);
    if (iv_is_ != Iv::waits && iv_is_ != Iv::records) return raise(NO_IV);
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
        return raise(BAD_PARAMETER);
    return !tag || get_tag(tag);
}

bool ChaChaPoly::get_tag(OSSL_PARAM *param) {
    if (!seals_ || iv_is_ != Iv::used) return raise(NO_TAG);
    if (!is_octets(*param) || !param->data) return raise(BAD_PARAMETER);
    if (!param->data_size || param->data_size > TAG) return raise(TAG_LENGTH);
    return put_octets(param, tag_, param->data_size) || raise(BAD_PARAMETER);
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
    if (!is_octets(*fixed) || !fixed->data || fixed->data_size != NONCE) return raise(IV_LENGTH);
    memcpy(nonce_, fixed->data, NONCE);
    iv_is_ = Iv::waits;
    return true;
}

bool ChaChaPoly::set_tag(const OSSL_PARAM &param) {
    if (!is_octets(param)) return raise(BAD_PARAMETER);
    if (!param.data_size || param.data_size > TAG) return raise(TAG_LENGTH);
    if (param.data) {
        if (seals_) return raise(WRONG_ORDER);
        memcpy(tag_, param.data, param.data_size);
    }
    tag_bytes_ = param.data_size;
    return true;
}

bool ChaChaPoly::set_tls_head(const OSSL_PARAM &param) {
    if (!take_tls_head(param, seals_ ? 0 : TAG, tls_head_)) return false;
    tls_bytes_ = size_t(tls_head_[TLS_HEAD - 2]) << 8 | tls_head_[TLS_HEAD - 1];
    pad_ = TAG;
    return tls_ = true;
}

}  // namespace cst::ossl
