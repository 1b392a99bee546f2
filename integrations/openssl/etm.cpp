#include "etm.hpp"

namespace cst::ossl {
namespace {

size_t digest_of(SuiteId suite) {
    switch (suite) {
        case ETM_128_SHA1:
        case ETM_192_SHA1:
        case ETM_256_SHA1: return 20;
        case ETM_128_SHA256:
        case ETM_192_SHA256:
        case ETM_256_SHA256: return 32;
        default: return 64;
    }
}

}  // namespace

const OSSL_PARAM Etm::GETTABLE[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, nullptr, 0),
                                    OSSL_PARAM_END};
const OSSL_PARAM Etm::SETTABLE[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_MAC_KEY, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, nullptr, 0), OSSL_PARAM_END};

Etm::Etm(const Provider &provider, const CipherInfo &info)
    : TwoKeyContext(provider, info), digest_bytes_(digest_of(info.suite)) {}

bool Etm::init(bool seals, Bytes key, Bytes iv) {
    seals_ = seals;
    tag_bytes_ = 0;
    opened_ = false;
    if (!begin_with(iv, first_iv_, iv_)) return false;
    if (!key.data) return true;
    if (key.n != info_.key_bytes) return raise(KEY_LENGTH);
    halves_.set_key(key);
    return make_key();
}

// The next message continues with the last block of this one's ciphertext, as CBC does.
bool Etm::cipher(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (!key_.get()) return raise(NO_KEY);
    if (!ready(out, room, in)) return false;
    if (!in.data || !out || !in.n || in.n % BLOCK || (!seals_ && !expected_bytes_)) return raise(OPERATION);
    uint8_t last[BLOCK];
    memcpy(last, in.data + in.n - BLOCK, BLOCK);
    tag_bytes_ = 0;
    opened_ = false;
    const int error =
        seals_ ? cst_seal(key_.get(), iv_, BLOCK, nullptr, 0, in.data, in.n, out, in.n, nullptr, tag_, digest_bytes_)
               : cst_open(key_.get(), iv_, BLOCK, nullptr, 0, in.data, in.n, out, in.n, nullptr, expected_,
                          expected_bytes_);
    if (!provider_.done(error)) return raise(OPERATION);
    memcpy(iv_, seals_ ? out + in.n - BLOCK : last, BLOCK);
    if (seals_) tag_bytes_ = digest_bytes_;
    opened_ = !seals_;
    *written = in.n;
    return true;
}

bool Etm::final(uint8_t *, size_t *, size_t) {
    if (!key_.get()) return raise(NO_KEY);
    return seals_ || opened_;
}

bool Etm::get(OSSL_PARAM params[]) {
    OSSL_PARAM *const tag = find(params, OSSL_CIPHER_PARAM_AEAD_TAG);
    if (!put_if(params, OSSL_CIPHER_PARAM_KEYLEN, info_.key_bytes) || !put_if(params, OSSL_CIPHER_PARAM_IVLEN, BLOCK) ||
        !put_octets_if(params, OSSL_CIPHER_PARAM_IV, first_iv_, BLOCK) ||
        !put_octets_if(params, OSSL_CIPHER_PARAM_UPDATED_IV, iv_, BLOCK))
        return raise(UNREADABLE);
    return !tag || get_tag(tag);
}

// The first bytes of it, as many as there is room for.
bool Etm::get_tag(OSSL_PARAM *param) const {
    if (!seals_ || !tag_bytes_ || !is_octets(*param) || !param->data || !param->data_size ||
        param->data_size > tag_bytes_)
        return raise(WRONG_TAG);
    return put_octets(param, tag_, param->data_size) || raise(UNREADABLE);
}

bool Etm::set(const OSSL_PARAM params[]) {
    size_t key_bytes = info_.key_bytes;
    if (!get_if(params, OSSL_CIPHER_PARAM_KEYLEN, &key_bytes)) return raise(BAD_PARAMETER);
    if (key_bytes != info_.key_bytes) return raise(KEY_LENGTH);
    const OSSL_PARAM *const mac_key = find(params, OSSL_CIPHER_PARAM_AEAD_MAC_KEY), *const tag = find(
                                                                                        params,
                                                                                        OSSL_CIPHER_PARAM_AEAD_TAG);
    return (!mac_key || set_mac_key(*mac_key, KeyHalves::MOST_MAC_KEY)) && (!tag || set_tag(*tag));
}

// That a message to be opened must have.
bool Etm::set_tag(const OSSL_PARAM &param) {
    if (!is_octets(param) || !param.data) return raise(BAD_PARAMETER);
    if (param.data_size < LEAST_TAG || param.data_size > digest_bytes_) return raise(WRONG_TAG);
    memcpy(expected_, param.data, expected_bytes_ = param.data_size);
    return true;
}

}  // namespace cst::ossl
