#include "chacha_parts.hpp"

#include <algorithm>

#include "../suite/secret.hpp"
#include "key_stream.hpp"

namespace cst {
namespace {

constexpr uint64_t MOST_TEXT = (uint64_t(1) << 38) - 64, MOST_AAD = uint64_t(1) << 60;

}  // namespace

bool ChaChaParts::begin(const ChaChaKey &key, const uint8_t *nonce) {
    memcpy(nonce_, nonce, NONCE);
    aad_bytes_ = text_bytes_ = block_ = 0;
    memset(stream_, 0, sizeof(stream_));
    if (!add_blocks(key, {stream_, sizeof(stream_)}, stream_)) return false;
    poly_.begin(stream_);
    return true;
}

// AAD and text are hashed from a whole block on each.
bool ChaChaParts::is_sound() const {
    return aad_bytes_ <= MOST_AAD && text_bytes_ <= MOST_TEXT &&
           poly_.waiting() == (text_bytes_ ? text_bytes_ : aad_bytes_) % PolyParts::BLOCK;
}

// Continues from a block of the keystream on, of which the last may be used in part.
bool ChaChaParts::add_blocks(const ChaChaKey &key, Bytes in, uint8_t *out) {
    uint8_t iv[sizeof(block_) + NONCE];
    memcpy(iv, &block_, sizeof(block_));
    memcpy(iv + sizeof(block_), nonce_, NONCE);
    block_ += uint32_t(in.n / CHACHA_BLOCK);
    return !add_key_stream(key.cipher, key.bytes, iv, in, out);
}

bool ChaChaParts::aad(const ChaChaKey &key, Bytes data) {
    if (text_bytes_ || data.n > MOST_AAD - aad_bytes_) return false;
    aad_bytes_ += data.n;
    poly_.add(key.aead, data.data, data.n);
    return true;
}

bool ChaChaParts::text(const ChaChaKey &key, Bytes in, uint8_t *out, bool opens) {
    constexpr size_t MOST = 8192;  // what was enciphered is hashed while it is in the cache
    if (in.n > MOST_TEXT - text_bytes_) return false;
    if (!text_bytes_ && in.n) poly_.fill(key.aead);
    while (in.n) {
        const size_t n = std::min(MOST, in.n);
        if (opens) poly_.add(key.aead, in.data, n);
        if (!encipher(key, {in.data, n}, out)) return false;
        if (!opens) poly_.add(key.aead, out, n);
        in = {in.data + n, in.n - n};
        out += n;
    }
    return true;
}

bool ChaChaParts::encipher(const ChaChaKey &key, Bytes in, uint8_t *out) {
    const auto go_on = [&](size_t n) {
        text_bytes_ += n;
        in = {in.data + n, in.n - n};
        out += n;
    };
    const auto use_stream = [&] {
        const size_t at = size_t(text_bytes_ % CHACHA_BLOCK), n = std::min(in.n, CHACHA_BLOCK - at);
        for (size_t i = 0; i < n; i++) out[i] = in.data[i] ^ stream_[at + i];
        go_on(n);
    };
    if (text_bytes_ % CHACHA_BLOCK) use_stream();
    if (const size_t whole = in.n / CHACHA_BLOCK * CHACHA_BLOCK) {
        if (!add_blocks(key, {in.data, whole}, out)) return false;
        go_on(whole);
    }
    if (!in.n) return true;
    memset(stream_, 0, sizeof(stream_));
    if (!add_blocks(key, {stream_, sizeof(stream_)}, stream_)) return false;
    use_stream();
    return true;
}

void ChaChaParts::tag(const ChaChaKey &key, uint8_t *to) {
    poly_.end(key.aead, aad_bytes_, text_bytes_, to);
    wipe(stream_, sizeof(stream_));
}

}  // namespace cst
