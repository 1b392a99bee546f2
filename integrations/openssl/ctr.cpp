#include "ctr.hpp"

#include <algorithm>

namespace cst::ossl {
namespace {

// Adds to a big-endian number of 128 bits.
void count_on(uint8_t *counter, uint64_t blocks) {
    for (int i = BLOCK; i-- && blocks; blocks >>= 8) {
        blocks += counter[i];
        counter[i] = uint8_t(blocks);
    }
}

}  // namespace

const OSSL_PARAM Ctr::GETTABLE[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, nullptr),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, nullptr, 0),
                                    OSSL_PARAM_END};
const OSSL_PARAM Ctr::SETTABLE[] = {OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, nullptr),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, nullptr), OSSL_PARAM_END};

// Without a new IV, counting continues.
bool Ctr::init(bool seals, Bytes key, Bytes iv) {
    seals_ = seals;
    used_ = 0;
    if (iv.data) {
        if (iv.n != BLOCK) return raise(IV_LENGTH);
        memcpy(first_, iv.data, BLOCK);
        memcpy(counter_, iv.data, BLOCK);
    }
    return !key.data || take_key(key);
}

bool Ctr::cipher(uint8_t *out, size_t *written, size_t room, Bytes in) {
    if (!key_.get()) return raise(NO_KEY);
    if (!in.n) return true;
    if (!ready(out, room, in)) return false;
    if (!out) return raise(OPERATION);
    *written = in.n;
    const auto go_on = [&](size_t n) {
        in = {in.data + n, in.n - n};
        out += n;
    };
    const auto use_stream = [&] {
        const size_t n = std::min(in.n, BLOCK - used_);
        for (size_t i = 0; i < n; i++) out[i] = in.data[i] ^ stream_[used_ + i];
        used_ = unsigned(used_ + n) % BLOCK;
        go_on(n);
    };
    if (used_) use_stream();
    if (const size_t whole = in.n / BLOCK * BLOCK) {
        if (!add_stream(in.data, out, whole)) return false;
        count_on(counter_, whole / BLOCK);
        go_on(whole);
    }
    if (in.n) {
        if (!next_block()) return false;
        use_stream();
    }
    return true;
}

bool Ctr::add_stream(const uint8_t *in, uint8_t *out, size_t n) {
    return provider_.done(cst_seal(key_.get(), counter_, BLOCK, nullptr, 0, in, n, out, n, nullptr, nullptr, 0));
}

bool Ctr::next_block() {
    memset(stream_, 0, BLOCK);
    if (!add_stream(stream_, stream_, BLOCK)) return false;
    count_on(counter_, 1);
    return true;
}

bool Ctr::final(uint8_t *, size_t *, size_t) { return key_.get() || raise(NO_KEY); }

bool Ctr::get(OSSL_PARAM params[]) {
    return (put_if(params, OSSL_CIPHER_PARAM_KEYLEN, info_.key_bytes) &&
            put_if(params, OSSL_CIPHER_PARAM_IVLEN, BLOCK) && put_if(params, OSSL_CIPHER_PARAM_PADDING, 1) &&
            put_if(params, OSSL_CIPHER_PARAM_NUM, used_) &&
            put_octets_if(params, OSSL_CIPHER_PARAM_IV, first_, BLOCK) &&
            put_octets_if(params, OSSL_CIPHER_PARAM_UPDATED_IV, counter_, BLOCK)) ||
           raise(UNREADABLE);
}

bool Ctr::set(const OSSL_PARAM params[]) {
    unsigned padding = 1, used = used_;
    if (!get_if(params, OSSL_CIPHER_PARAM_PADDING, &padding) || !get_if(params, OSSL_CIPHER_PARAM_NUM, &used))
        return raise(BAD_PARAMETER);
    if (used && used != used_) return raise(BAD_PARAMETER);  // there is no stream of another place
    used_ = used;
    return true;
}

}  // namespace cst::ossl
