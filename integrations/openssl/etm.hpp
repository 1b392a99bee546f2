// AES-CBC with HMAC of the ciphertext alone (OpenSSL 3.6 and later): an update is a message.
#pragma once

#include "key_halves.hpp"

namespace cst::ossl {

class Etm : public TwoKeyContext {
public:
    Etm(const Provider &provider, const CipherInfo &info);

    bool init(bool seals, Bytes key, Bytes iv);
    bool update(uint8_t *out, size_t *written, size_t room, Bytes in) {
        return !in.n || cipher(out, written, room, in);
    }
    bool final(uint8_t *out, size_t *written, size_t room);
    bool cipher(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool get(OSSL_PARAM params[]);
    bool set(const OSSL_PARAM params[]);
    static const OSSL_PARAM GETTABLE[], SETTABLE[];

private:
    static constexpr size_t MOST_TAG = 64, LEAST_TAG = 12;

    bool set_tag(const OSSL_PARAM &param);
    bool get_tag(OSSL_PARAM *param) const;

    const size_t digest_bytes_;
    uint8_t first_iv_[BLOCK] = {}, iv_[BLOCK] = {};
    uint8_t tag_[MOST_TAG] = {}, expected_[MOST_TAG] = {};
    size_t tag_bytes_ = 0, expected_bytes_ = 0;
    bool opened_ = false;  // a message, whose tag was right
};

}  // namespace cst::ossl
