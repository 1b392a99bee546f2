// AES-CBC with HMAC as TLS 1.0 to 1.2 put them together (MAC, pad, encipher), one record per update; and multiblock: a
// long text as records that are sealed side by side.
#pragma once

#include "key_halves.hpp"

namespace cst::ossl {

class Tls : public TwoKeyContext {
public:
    Tls(const Provider &provider, const CipherInfo &info);
    bool allocated() const { return Context::allocated() && cipher_key_.allocated(); }

    bool init(bool seals, Bytes key, Bytes iv);
    bool update(uint8_t *out, size_t *written, size_t room, Bytes in) { return cipher(out, written, room, in); }
    bool final(uint8_t *out, size_t *written, size_t room);
    bool cipher(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool get(OSSL_PARAM params[]);
    bool set(const OSSL_PARAM params[]);
    static const OSSL_PARAM GETTABLE[], SETTABLE[];

private:
    static constexpr size_t HEADER = 5, HEAD = TLS_HEAD, MOST_MAC_KEY = 64;

    bool set_head(const OSSL_PARAM &param);
    bool seal(uint8_t *out, size_t *written, Bytes in);
    bool open(uint8_t *out, size_t *written, Bytes in);
    bool without_mac(uint8_t *out, size_t *written, Bytes in);
    bool chained(bool seals, const uint8_t *in, uint8_t *out, size_t n);

    bool set_many_head(const OSSL_PARAM &param, const OSSL_PARAM *records);
    bool seal_many(const OSSL_PARAM &param, const OSSL_PARAM *from, const OSSL_PARAM *records);
    size_t record_bytes(size_t text) const { return HEADER + BLOCK + sealed_bytes(text); }
    size_t sealed_bytes(size_t text) const { return (text + mac_bytes_) / BLOCK * BLOCK + BLOCK; }
    bool has_explicit_iv() const { return (head_[9] << 8 | head_[10]) >= 0x0302; }

    const size_t mac_bytes_;
    KeyMemory cipher_key_;  // CBC alone
    uint8_t first_iv_[BLOCK] = {}, iv_[BLOCK] = {}, head_[HEAD] = {};
    size_t record_ = 0, pad_ = 0;  // bytes of the record that comes next, when has_head_
    unsigned version_ = 0;  // of "tls-version"; 0: an update tells the whole record's length
    size_t most_fragment_ = 0, packed_ = 0, written_ = 0;
    unsigned records_ = 0;
    bool has_head_ = false;
};

}  // namespace cst::ossl
