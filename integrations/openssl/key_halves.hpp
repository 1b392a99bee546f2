// The keys of a cipher and of its MAC, which callers set one after the other, in either order.
#pragma once

#include "cipher.hpp"

namespace cst::ossl {

class KeyHalves {
public:
    static constexpr size_t MOST_KEY = 32, MOST_MAC_KEY = 128;

    void set_key(Bytes key) { put(key_, &key_bytes_, key, &has_key_); }
    void set_mac_key(Bytes key) { put(mac_key_, &mac_key_bytes_, key, &has_mac_key_); }
    // Sets the key when both are there. CST_OK or an error of the library.
    int make(KeyMemory *key) const {
        return has_key_ && has_mac_key_ ? key->set(key_, key_bytes_, mac_key_, mac_key_bytes_) : CST_OK;
    }

private:
    static void put(uint8_t *to, size_t *bytes, Bytes key, bool *has) {
        if (key.n) memcpy(to, key.data, key.n);
        *bytes = key.n;
        *has = true;
    }

    uint8_t key_[MOST_KEY] = {}, mac_key_[MOST_MAC_KEY] = {};  // wiped with the context
    size_t key_bytes_ = 0, mac_key_bytes_ = 0;
    bool has_key_ = false, has_mac_key_ = false;
};

// A context with a cipher key and a MAC key.
class TwoKeyContext : public Context {
protected:
    using Context::Context;

    // Takes the MAC key, of 1 to `most` bytes: under an empty one everybody makes tags.
    bool set_mac_key(const OSSL_PARAM &param, size_t most) {
        if (!is_octets(param) || (param.data_size && !param.data)) return raise(BAD_PARAMETER);
        if (!param.data_size || param.data_size > most) return raise(MAC_KEY_LENGTH);
        halves_.set_mac_key({static_cast<const uint8_t *>(param.data), param.data_size});
        return make_key();
    }
    // Sets the key when both halves are there.
    bool make_key() {
        const int error = halves_.make(&key_);
        return error == CST_ERR_LENGTH ? raise(MAC_KEY_LENGTH) : provider_.done(error);
    }

    KeyHalves halves_;
};

}  // namespace cst::ossl
