#include "cbc.hpp"

#include <openssl/prov_ssl.h>

#include <algorithm>

#include "cbc_blocks.hpp"
#include "suite/mask.hpp"

namespace cst::ossl {
namespace {

// The explicit IV of a record; false: there is no such version.
bool has_version(unsigned version, size_t *explicit_iv) {
    *explicit_iv = version == SSL_3 || version == TLS1_VERSION ? 0 : BLOCK;
    switch (version) {
        case SSL_3:
        case TLS1_VERSION:
        case TLS1_1_VERSION:
        case TLS1_2_VERSION:
        case DTLS1_VERSION:
        case DTLS1_2_VERSION:
        case DTLS1_BAD_VER: return true;
        default: return false;
    }
}

// The bytes of the last block that are text; BLOCK: no padding (RFC 5652, 6.3).
size_t without_padding(const uint8_t *block) {
    const uint32_t n = block[BLOCK - 1];
    uint32_t differs = 0;
    for (uint32_t i = 0; i < BLOCK; i++) differs |= mask_less(BLOCK - 1 - i, n) & (block[i] ^ n);
    const uint32_t right = mask_equal(differs, 0) & mask_less(0, n) & mask_less(n, BLOCK + 1);
    return hidden(BLOCK - (right & n));
}

bool overlap(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes) {
    const uintptr_t p = reinterpret_cast<uintptr_t>(a), q = reinterpret_cast<uintptr_t>(b);
    return p < q + b_bytes && q < p + a_bytes;
}

}  // namespace

const OSSL_PARAM Cbc::GETTABLE[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, nullptr),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, nullptr, 0),
                                    OSSL_PARAM_DEFN(OSSL_CIPHER_PARAM_TLS_MAC, OSSL_PARAM_OCTET_PTR, nullptr, 0),
                                    OSSL_PARAM_END};
const OSSL_PARAM Cbc::SETTABLE[] = {
    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, nullptr),        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, nullptr),
    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_USE_BITS, nullptr),       OSSL_PARAM_uint(OSSL_CIPHER_PARAM_TLS_VERSION, nullptr),
    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, nullptr), OSSL_PARAM_END};

// Without a new IV, a message begins with the IV of the one before.
bool Cbc::init(bool seals, Bytes key, Bytes iv) {
    seals_ = seals;
    held_bytes_ = number_ = 0;
    if (!begin_with(iv, first_iv_, iv_)) return false;
    return !key.data || take_key(key);
}

bool Cbc::chained(const uint8_t *in, uint8_t *out, size_t n) {
    return provider_.done(chain_blocks(key_.get(), seals_, iv_, in, out, n));
}

// Processes whole blocks. Opening with padding, it holds the last block back, which may be the end of the text. Input
// and output may be one buffer if the held bytes came from it too: then both advance by the same bytes.
bool Cbc::update(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (!key_.get()) return raise(NO_KEY);
    if (version_) return record(out, written, room, in);
    // A held block might have had padding; if padding is turned off, the block is processed together with the next
    // bytes.
    if (!in.n && (pads_ || held_bytes_ < BLOCK)) return true;
    if (in.n && !in.data) return raise(OPERATION);
    const size_t all = held_bytes_ + in.n, whole = all / BLOCK * BLOCK,
                 through = whole - (!seals_ && pads_ && whole == all ? BLOCK : 0);
    const size_t filled = held_bytes_ ? std::min(in.n, BLOCK - held_bytes_) : 0;
    const size_t before = held_bytes_ && through ? BLOCK : 0;  // of the output, from what was held
    if (through > room) return raise(NO_ROOM);
    if (through && !out) return raise(OPERATION);
    if (through && out + before != in.data + filled && overlap(out, through, in.data + filled, in.n - filled))
        return raise(OVERLAP);
    if (filled) memcpy(held_ + held_bytes_, in.data, filled);
    held_bytes_ += filled;
    in = {in.data + filled, in.n - filled};
    if (before) {
        if (!chained(held_, out, BLOCK)) return false;
        held_bytes_ = 0;
    }
    const size_t bulk = through - before;
    if (bulk && !chained(in.data, out + before, bulk)) return false;
    if (const size_t rest = in.n - bulk) memcpy(held_ + held_bytes_, in.data + bulk, rest), held_bytes_ += rest;
    *written = through;
    return true;
}

bool Cbc::final(uint8_t *out, size_t *written, size_t room) {
    if (!key_.get()) return raise(NO_KEY);
    if (version_) return raise(OPERATION);  // every update was a whole record
    if (!pads_ && !held_bytes_) return true;
    if (seals_ && pads_) memset(held_ + held_bytes_, int(BLOCK - held_bytes_), BLOCK - held_bytes_);
    else if (held_bytes_ != BLOCK) return raise(WRONG_END);
    if (seals_ && room < BLOCK) return raise(NO_ROOM);
    uint8_t last[BLOCK];
    if (!chained(held_, last, BLOCK)) return false;
    const size_t n = seals_ || !pads_ ? BLOCK : without_padding(last);
    if (!seals_ && pads_ && n == BLOCK) return raise(PADDING);
    if (room < n) return raise(NO_ROOM);
    memcpy(out, last, n);
    held_bytes_ = 0;
    *written = n;
    return true;
}

// Blocks, without padding.
bool Cbc::cipher(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (!key_.get()) return raise(NO_KEY);
    if (!ready(out, room, in)) return false;
    if (!in.n) return true;
    if (!out || in.n % BLOCK) return raise(OPERATION);
    if (!chained(in.data, out, in.n)) return false;
    *written = in.n;
    return true;
}

// Processes a record in place. A record to be sealed has its MAC already, and is padded here (RFC 5246, 6.2.3.2).
bool Cbc::record(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (!in.data || in.data != out || !pads_) return raise(OPERATION);
    size_t n = in.n;
    if (seals_) {
        const size_t more = BLOCK - n % BLOCK;
        if (room < n || room - n < more) return raise(OPERATION);
        memset(out + n, version_ == SSL_3 ? 0 : int(more - 1), more);
        n += more;
        out[n - 1] = uint8_t(more - 1);
    }
    if (!n || n % BLOCK || room < n) return raise(OPERATION);
    if (!chained(out, out, n) || (!seals_ && !open_record(out, &n))) return false;
    *written = n;
    return true;
}

// Reports the length of the text, without the explicit IV, and the text's place after the IV.
bool Cbc::open_record(uint8_t *text, size_t *n) {
    size_t explicit_iv;
    if (!has_version(version_, &explicit_iv) || *n < explicit_iv) return raise(OPERATION);
    *n -= explicit_iv;
    return take_off_padding(version_, text + explicit_iv, n, mac_, mac_bytes_) || raise(OPERATION);
}

bool Cbc::get(OSSL_PARAM params[]) {
    return (put_if(params, OSSL_CIPHER_PARAM_KEYLEN, info_.key_bytes) &&
            put_if(params, OSSL_CIPHER_PARAM_IVLEN, BLOCK) && put_if(params, OSSL_CIPHER_PARAM_PADDING, pads_) &&
            put_if(params, OSSL_CIPHER_PARAM_NUM, number_) &&
            put_octets_if(params, OSSL_CIPHER_PARAM_IV, first_iv_, BLOCK) &&
            put_octets_if(params, OSSL_CIPHER_PARAM_UPDATED_IV, iv_, BLOCK) &&
            put_octets_if(params, OSSL_CIPHER_PARAM_TLS_MAC, mac_, mac_bytes_)) ||
           raise(UNREADABLE);
}

bool Cbc::set(const OSSL_PARAM params[]) {
    size_t mac_bytes = mac_bytes_;
    unsigned padding = pads_, bits = 0, number = number_;
    if (!get_if(params, OSSL_CIPHER_PARAM_PADDING, &padding) || !get_if(params, OSSL_CIPHER_PARAM_USE_BITS, &bits) ||
        !get_if(params, OSSL_CIPHER_PARAM_NUM, &number) || !get_if(params, OSSL_CIPHER_PARAM_TLS_VERSION, &version_) ||
        !get_if(params, OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac_bytes) || number >= BLOCK || mac_bytes > MOST_RECORD_MAC)
        return raise(BAD_PARAMETER);
    pads_ = padding;
    number_ = number;
    mac_bytes_ = mac_bytes;
    return true;
}

}  // namespace cst::ossl
