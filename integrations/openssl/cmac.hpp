// CMAC with AES (SP 800-38B), as EVP_MAC has it: of messages in any pieces.
#pragma once

#include "cipher.hpp"

namespace cst::ossl {

class Cmac {
public:
    explicit Cmac(const Provider &provider);
    const Provider &provider() const { return provider_; }
    bool allocated() const;

    // Begins a message, under a new key if one is given, else under the present key.
    bool init(Bytes key, const OSSL_PARAM params[]);
    bool update(Bytes in);
    bool final(uint8_t *out, size_t *written, size_t room);
    bool get(OSSL_PARAM params[]) const;
    bool set(const OSSL_PARAM params[]);

private:
    static constexpr size_t SIZES = 3;

    const cst_key *key() const { return size_ < SIZES ? keys_[size_].get() : nullptr; }
    bool raise(Reason reason) const { return provider_.raise(reason); }
    bool set_cipher(const OSSL_PARAM &param);
    void forget_keys();
    bool set_key(Bytes key);
    void begin();
    bool absorb(const uint8_t *in, size_t n);

    const Provider &provider_;
    KeyMemory keys_[SIZES];  // of AES-128, 192, 256
    size_t size_ = SIZES;    // whose key it is; SIZES: no cipher is set
    uint8_t chain_[BLOCK] = {};
    uint8_t held_[BLOCK] = {};  // the message's end so far, which may be a whole block
    size_t held_bytes_ = 0;
};

extern const OSSL_DISPATCH CMAC_FUNCTIONS[];

}  // namespace cst::ossl
