// AES-CCM, with the records of TLS 1.2. The mode wants to know all lengths beforehand: AAD and text come in one piece
// each.
#pragma once

#include "cipher.hpp"

namespace cst::ossl {

class Ccm : public Context {
public:
    using Context::Context;
    Ccm(const Ccm &other);
    ~Ccm();
    bool allocated() const { return Context::allocated() && (!aad_bytes_ || aad_); }

    bool init(bool seals, Bytes key, Bytes iv);
    bool update(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool final(uint8_t *out, size_t *written, size_t room);
    bool cipher(uint8_t *out, size_t *written, size_t room, Bytes in);
    bool get(OSSL_PARAM params[]);
    bool set(const OSSL_PARAM params[]);
    static const OSSL_PARAM GETTABLE[], SETTABLE[];

private:
    bool part(uint8_t *out, size_t *written, size_t room, Bytes in);
    enum class Tag : uint8_t { none, given, stale, made };  // given: to compare with
    static constexpr size_t TAG = 16, MOST_IV = 13, LEAST_IV = 7, TLS_FIXED = 4, TLS_EXPLICIT = 8;

    bool take_aad(Bytes aad);
    void drop_aad();
    bool text(uint8_t *out, size_t *written, Bytes in);
    bool record(uint8_t *out, size_t *written, Bytes in);
    bool set_tag(const OSSL_PARAM &param);
    bool get_tag(OSSL_PARAM *param);
    bool set_tls_head(const OSSL_PARAM &param);

    uint8_t iv_[MOST_IV + 3] = {}, tag_[TAG] = {}, tls_head_[TLS_HEAD] = {};
    uint8_t nonce_[MOST_IV + 3] = {};  // the IV when the text's length was given, under which the text is processed
    size_t iv_bytes_ = 7, tag_bytes_ = 12, pad_ = 0, aad_bytes_ = 0, text_bytes_ = 0;
    size_t made_bytes_ = 0;  // of the tag, when it was made
    uint8_t *aad_ = nullptr;
    Tag tag_is_ = Tag::none;
    bool has_iv_ = false, has_length_ = false, tls_ = false, has_head_ = false;
    bool processed_ = false;  // the last IV's text; if it was opened, its tag was right
};

}  // namespace cst::ossl
