// AES in counter mode: a stream of bytes.
#pragma once

#include "cipher.hpp"

namespace cst::ossl {

class Ctr : public Context {
public:
    using Context::Context;

    bool init(bool seals, Bytes key, Bytes iv);
    bool update(uint8_t *out, size_t *written, size_t room, Bytes in) { return cipher(out, written, room, in); }
    bool final(uint8_t *out, size_t *written, size_t room);
    bool cipher(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool get(OSSL_PARAM params[]);
    bool set(const OSSL_PARAM params[]);
    static const OSSL_PARAM GETTABLE[], SETTABLE[];

private:
    bool add_stream(const uint8_t *in, uint8_t *out, size_t n);
    bool next_block();

    uint8_t first_[BLOCK] = {}, counter_[BLOCK] = {}, stream_[BLOCK] = {};
    unsigned used_ = 0;  // bytes of stream_; 0: a new block is next
};

}  // namespace cst::ossl
