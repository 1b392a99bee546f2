#include "tls.hpp"

#include "cbc_blocks.hpp"

namespace cst::ossl {

const OSSL_PARAM Tls::GETTABLE[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_MAX_BUFSIZE, nullptr),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_INTERLEAVE, nullptr),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_AAD_PACKLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC_LEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, nullptr, 0),
                                    OSSL_PARAM_END};
const OSSL_PARAM Tls::SETTABLE[] = {OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_MAC_KEY, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, nullptr, 0),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_MAX_SEND_FRAGMENT, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_AAD, nullptr, 0),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_INTERLEAVE, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC_IN, nullptr, 0),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_TLS_VERSION, nullptr),
                                    OSSL_PARAM_END};

Tls::Tls(const Provider &provider, const CipherInfo &info)
    : TwoKeyContext(provider, info),
      mac_bytes_(info.suite == TLS_128_SHA1 || info.suite == TLS_256_SHA1 ? 20 : 32),
      cipher_key_(provider, info.key_bytes == 16 ? CBC_128 : CBC_256) {}

bool Tls::init(bool seals, Bytes key, Bytes iv) {
    seals_ = seals;
    has_head_ = false;
    if (!begin_with(iv, first_iv_, iv_)) return false;
    if (!key.data) return true;
    if (key.n != info_.key_bytes) return raise(KEY_LENGTH);
    halves_.set_key(key);
    return provider_.done(cipher_key_.set(key.data, key.n)) && make_key();
}

// To seal a record, the header's length is that of text and explicit IV; the caller's copy gets the length of the text.
bool Tls::set_head(const OSSL_PARAM &param) {
    if (!is_octets(param)) return raise(BAD_PARAMETER);
    if (!param.data || param.data_size != HEAD) return false;
    memcpy(head_, param.data, HEAD);
    pad_ = mac_bytes_;
    if (seals_) {
        size_t n = record_ = size_t(head_[11]) << 8 | head_[12];
        if (has_explicit_iv()) {
            if (n < BLOCK) return false;
            n -= BLOCK;
            uint8_t *const end = static_cast<uint8_t *>(param.data) + HEAD;
            end[-2] = uint8_t(n >> 8);
            end[-1] = uint8_t(n);
        }
        pad_ = sealed_bytes(n) - n;
    }
    return has_head_ = true;
}

bool Tls::cipher(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (!cipher_key_.get()) return raise(NO_KEY);
    if (!in.n) return true;
    if (!ready(out, room, in)) return false;
    if (!out || !in.data || in.n % BLOCK) return raise(OPERATION);
    if (!has_head_) return without_mac(out, written, in);
    has_head_ = false;
    return (key_.get() && (seals_ ? seal(out, written, in) : open(out, written, in))) || raise(OPERATION);
}

// Processes text that was not announced as a record.
bool Tls::without_mac(uint8_t *out, size_t *written, Bytes in) {
    if (!chained(seals_, in.data, out, in.n)) return false;
    *written = in.n;
    return true;
}

bool Tls::chained(bool seals, const uint8_t *in, uint8_t *out, size_t n) {
    return provider_.done(chain_blocks(cipher_key_.get(), seals, iv_, in, out, n));
}

// The explicit IV is the caller's random block, enciphered as the first of the record.
bool Tls::seal(uint8_t *out, size_t *written, Bytes in) {
    const size_t explicit_iv = has_explicit_iv() ? BLOCK : 0, n = record_ - explicit_iv;
    if (in.n != explicit_iv + sealed_bytes(n)) return false;
    if (explicit_iv && !chained(true, in.data, out, BLOCK)) return false;
    const int error = cst_seal(key_.get(), iv_, BLOCK, head_, HEAD - 2, in.data + explicit_iv, n, out + explicit_iv,
                               in.n - explicit_iv, nullptr, nullptr, 0);
    if (!provider_.done(error)) return false;
    memcpy(iv_, out + in.n - BLOCK, BLOCK);
    *written = in.n;
    return true;
}

bool Tls::open(uint8_t *out, size_t *written, Bytes in) {
    const size_t explicit_iv = has_explicit_iv() ? BLOCK : 0;
    if (in.n < explicit_iv + BLOCK) return false;
    uint8_t iv[BLOCK], before[BLOCK];
    memcpy(before, iv_, BLOCK);
    memcpy(iv, explicit_iv ? in.data : iv_, BLOCK);
    memcpy(iv_, in.data + in.n - BLOCK, BLOCK);
    size_t n = 0;
    const int error = cst_open(key_.get(), iv, BLOCK, head_, HEAD - 2, in.data + explicit_iv, in.n - explicit_iv,
                               out + explicit_iv, in.n - explicit_iv, &n, nullptr, 0);
    if (!provider_.done(error)) return false;
    // default's ciphers with SHA-256 decipher the explicit IV too, those with SHA-1 do not
    if (explicit_iv && mac_bytes_ == 32 &&
        !provider_.done(chain_blocks(cipher_key_.get(), false, before, iv, out, BLOCK)))
        return false;
    *written = version_ ? n : in.n;
    return true;
}

bool Tls::final(uint8_t *, size_t *, size_t) {
    if (!cipher_key_.get()) return raise(NO_KEY);
    return seals_ || !has_head_;  // a record was announced, and has not come
}

bool Tls::get(OSSL_PARAM params[]) {
    OSSL_PARAM *const most = find(params, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_MAX_BUFSIZE);
    if (most && !most_fragment_) return raise(UNREADABLE);
    return ((!most || put_number(most, record_bytes(most_fragment_))) &&
            put_if(params, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_INTERLEAVE, records_) &&
            put_if(params, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_AAD_PACKLEN, packed_) &&
            put_if(params, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC_LEN, written_) &&
            put_if(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, pad_) &&
            put_if(params, OSSL_CIPHER_PARAM_KEYLEN, info_.key_bytes) &&
            put_if(params, OSSL_CIPHER_PARAM_IVLEN, BLOCK) &&
            put_octets_if(params, OSSL_CIPHER_PARAM_IV, first_iv_, BLOCK) &&
            put_octets_if(params, OSSL_CIPHER_PARAM_UPDATED_IV, iv_, BLOCK)) ||
           raise(UNREADABLE);
}

bool Tls::set(const OSSL_PARAM params[]) {
    size_t key_bytes = info_.key_bytes;
    if (!get_if(params, OSSL_CIPHER_PARAM_KEYLEN, &key_bytes) ||
        !get_if(params, OSSL_CIPHER_PARAM_TLS_VERSION, &version_) ||
        !get_if(params, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_MAX_SEND_FRAGMENT, &most_fragment_))
        return raise(BAD_PARAMETER);
    if (key_bytes != info_.key_bytes) return raise(KEY_LENGTH);
    const OSSL_PARAM *const mac_key = find(params, OSSL_CIPHER_PARAM_AEAD_MAC_KEY),
                            *const head = find(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD),
                            *const many = find(params, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_AAD),
                            *const records = find(params, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_INTERLEAVE),
                            *const to = find(params, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC),
                            *const from = find(params, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK_ENC_IN);
    return (!mac_key || set_mac_key(*mac_key, MOST_MAC_KEY)) && (!many || set_many_head(*many, records)) &&
           (!to || seal_many(*to, from, records)) && (!head || set_head(*head));
}

}  // namespace cst::ossl
