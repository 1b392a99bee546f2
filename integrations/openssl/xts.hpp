// AES-XTS: each update is a data unit of its own, all under the tweak that was set last.
#pragma once

#include "cipher.hpp"

namespace cst::ossl {

class Xts : public Context {
public:
    using Context::Context;

    bool init(bool seals, Bytes key, Bytes iv);
    bool update(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool final(uint8_t *, size_t *, size_t) { return true; }
    bool cipher(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool get(OSSL_PARAM params[]);
    bool set(const OSSL_PARAM params[]);
    static const OSSL_PARAM GETTABLE[], SETTABLE[];

private:
    static constexpr size_t MOST = BLOCK << 20;  // IEEE Std 1619-2018, 5.1

    uint8_t tweak_[BLOCK] = {};
    bool has_tweak_ = false;
};

}  // namespace cst::ossl
