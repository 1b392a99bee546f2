// What is right: libcrypto, and where it has no such suite a plain model from the standard over it.
#pragma once

#include <memory>

#include "evp.hpp"
#include "meaning.hpp"

namespace soak {

struct Secret {
    Bytes key, mac_key;
};

struct Message {
    Bytes iv, aad, text;
    size_t tag_bytes = 0;
    // Where the suite pads: so many bytes of padding, which must fill the last block; 0: the fewest. TLS: RFC 5246,
    // 6.2.3.2 lets a sender take more.
    size_t padding = 0;
    bool bad_padding = false;  // its first byte is wrong, and everything is sealed as if it were right
};

// AES-XCBC-MAC (RFC 3566, 4).
class Xcbc {
public:
    explicit Xcbc(const Bytes &key);
    Bytes of(const Bytes &message);

private:
    std::unique_ptr<Cipher> chain_;
    Bytes last_[2];  // K2, K3: for messages that end with a block, and for others
};

// Of one key; for one thread.
class Model {
public:
    Model(const Meaning &meaning, const Secret &secret);
    void seal(const Message &message, Bytes *out, Bytes *tag);
    // TLS: the text of a sealed record as its padding says, which is not checked.
    Bytes text_of_record(const Bytes &iv, const Bytes &ciphertext);
    // TLS: bytes of padding, the last one, their number, among them.
    size_t least_padding(size_t text_bytes) const;

private:
    Bytes encipher(const Bytes &iv, const Bytes &text);
    Bytes mac(std::initializer_list<Bytes> parts);
    void pad(const Message &message, size_t padding, uint8_t value, Bytes *text) const;

    const Meaning &meaning_;
    const Secret secret_;
    std::unique_ptr<Cipher> cipher_, decipher_;
    std::unique_ptr<Aead> aead_;
    std::unique_ptr<Digest> digest_;
    std::unique_ptr<Digest> second_;
    std::unique_ptr<Mac> mac_;
    std::unique_ptr<Xcbc> xcbc_;
    size_t hash_bytes_ = 0;
};

}  // namespace soak
