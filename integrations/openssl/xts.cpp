#include "xts.hpp"

namespace cst::ossl {

const OSSL_PARAM Xts::GETTABLE[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, nullptr, 0),
                                    OSSL_PARAM_END};
const OSSL_PARAM Xts::SETTABLE[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr), OSSL_PARAM_END};

bool Xts::init(bool seals, Bytes key, Bytes iv) {
    seals_ = seals;
    if (iv.data) {
        if (iv.n != BLOCK) return raise(IV_LENGTH);
        memcpy(tweak_, iv.data, BLOCK);
        has_tweak_ = true;
    }
    return !key.data || take_key(key);
}

bool Xts::update(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (room < in.n) return raise(NO_ROOM);
    return cipher(out, written, room, in) || raise(OPERATION);
}

bool Xts::cipher(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (!key_.get() || !has_tweak_ || !in.data || !out || in.n < BLOCK || !ready(out, room, in)) return false;
    if (in.n > MOST) return raise(TOO_LONG_FOR_XTS);
    const int error =
        (seals_ ? cst_seal(key_.get(), tweak_, BLOCK, nullptr, 0, in.data, in.n, out, in.n, nullptr, nullptr, 0)
                : cst_open(key_.get(), tweak_, BLOCK, nullptr, 0, in.data, in.n, out, in.n, nullptr, nullptr, 0));
    if (!provider_.done(error)) return false;
    *written = in.n;
    return true;
}

bool Xts::get(OSSL_PARAM params[]) {
    return (put_if(params, OSSL_CIPHER_PARAM_KEYLEN, info_.key_bytes) &&
            put_if(params, OSSL_CIPHER_PARAM_IVLEN, BLOCK) && put_if(params, OSSL_CIPHER_PARAM_PADDING, 1) &&
            put_octets_if(params, OSSL_CIPHER_PARAM_IV, tweak_, BLOCK) &&
            put_octets_if(params, OSSL_CIPHER_PARAM_UPDATED_IV, tweak_, BLOCK)) ||
           raise(UNREADABLE);
}

bool Xts::set(const OSSL_PARAM params[]) {
    size_t key_bytes = info_.key_bytes;
    if (!get_if(params, OSSL_CIPHER_PARAM_KEYLEN, &key_bytes)) return raise(BAD_PARAMETER);
    return key_bytes == info_.key_bytes;
}

}  // namespace cst::ossl
