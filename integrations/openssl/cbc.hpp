// AES-CBC: with and without padding, texts in any pieces; and the records of TLS and DTLS, whose padding and MAC are
// taken off.
#pragma once

#include "cipher.hpp"
#include "tls_padding.hpp"

namespace cst::ossl {

class Cbc : public Context {
public:
    using Context::Context;

    bool init(bool seals, Bytes key, Bytes iv);
    bool update(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool final(uint8_t *out, size_t *written, size_t room);
    bool cipher(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool get(OSSL_PARAM params[]);
    bool set(const OSSL_PARAM params[]);
    static const OSSL_PARAM GETTABLE[], SETTABLE[];

private:
    bool chained(const uint8_t *in, uint8_t *out, size_t n);
    bool record(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool open_record(uint8_t *text, size_t *n);

    uint8_t first_iv_[BLOCK] = {}, iv_[BLOCK] = {};
    uint8_t held_[BLOCK] = {};  // the text's end so far: part of a block; of what is opened, perhaps a whole one
    size_t held_bytes_ = 0;
    bool pads_ = true;
    unsigned number_ = 0;  // "num": without a meaning in this mode, but callers may read what they wrote
    unsigned version_ = 0;  // of "tls-version"; 0: no records
    uint8_t mac_[MOST_RECORD_MAC] = {};  // of the record opened last
    size_t mac_bytes_ = 0;
};

}  // namespace cst::ossl
