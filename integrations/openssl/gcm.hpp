// AES-GCM, with the records of TLS 1.2 ("tlsaad").
#pragma once

#include "cipher.hpp"
#include "parts/gcm_parts.hpp"

namespace cst::ossl {

class Gcm : public Context {
public:
    Gcm(const Provider &provider, const CipherInfo &info);

    bool init(bool seals, Bytes key, Bytes iv);
    bool update(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool final(uint8_t *out, size_t *written, size_t room);
    bool cipher(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool get(OSSL_PARAM params[]);
    bool set(const OSSL_PARAM params[]);
    static const OSSL_PARAM GETTABLE[], SETTABLE[];

private:
    enum class Iv : uint8_t { none, waits, begun, used };
    static constexpr size_t TAG = 16, MOST_IV = 128, TLS_FIXED = 4, TLS_EXPLICIT = 8;

    void begin_parts();
    bool begin();
    bool generate_iv();
    bool text(uint8_t *out, size_t *written, Bytes in);
    bool record(uint8_t *out, size_t *written, Bytes in);
    bool end();
    bool set_tag(const OSSL_PARAM &param);
    bool get_tag(OSSL_PARAM *param);
    bool set_tls_head(const OSSL_PARAM &param);
    bool set_fixed_iv(const OSSL_PARAM &param);
    bool next_iv(OSSL_PARAM *param);
    bool set_explicit_iv(const OSSL_PARAM &param);
    void take_explicit_iv(uint8_t *to);

    GcmParts parts_;
    uint8_t iv_[MOST_IV] = {}, tag_[TAG] = {}, tls_head_[TLS_HEAD] = {};
    size_t iv_bytes_, tag_bytes_ = 0, pad_ = 0;
    uint64_t records_ = 0;
    Iv iv_is_ = Iv::none;
    bool tls_ = false, counts_ = false, random_iv_ = false;
    bool has_tag_ = false;  // one to compare with
    // counts_: the IV's last 8 bytes are an invocation field
};

}  // namespace cst::ossl
