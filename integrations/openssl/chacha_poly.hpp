// ChaCha20-Poly1305 (RFC 8439), with the records of TLS 1.2 (RFC 7905).
#pragma once

#include "cipher.hpp"
#include "parts/chacha_parts.hpp"

namespace cst::ossl {

class ChaChaPoly : public Context {
public:
    ChaChaPoly(const Provider &provider, const CipherInfo &info) : Context(provider, info) {}

    bool init(bool seals, Bytes key, Bytes iv);
    bool update(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool final(uint8_t *out, size_t *written, size_t room);
    bool cipher(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool get(OSSL_PARAM params[]);
    bool set(const OSSL_PARAM params[]);
    static const OSSL_PARAM GETTABLE[], SETTABLE[];

private:
    static constexpr size_t TAG = ChaChaParts::TAG, NONCE = ChaChaParts::NONCE;
    enum class Iv : uint8_t { none, waits, begun, used, records, ended };  // records: its nonces are made from it

    ChaChaKey parts_key() const { return {*key().suite, suite(CHACHA20), key().encrypt()}; }
    bool begin();
    bool text(uint8_t *out, size_t *written, Bytes in);
    bool record(uint8_t *out, size_t *written, Bytes in);
    bool set_tag(const OSSL_PARAM &param);
    bool get_tag(OSSL_PARAM *param);
    bool set_tls_head(const OSSL_PARAM &param);

    ChaChaParts parts_;
    uint8_t nonce_[NONCE] = {}, tag_[TAG] = {}, tls_head_[TLS_HEAD] = {};
    size_t tag_bytes_ = 0, pad_ = 0, tls_bytes_ = 0;
    Iv iv_is_ = Iv::none;
    bool tls_ = false, has_tag_ = false;  // has_tag_: one to compare with
};

}  // namespace cst::ossl
