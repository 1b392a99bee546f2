// QUIC packets (RFC 9001, 5) with short headers: a first byte, a connection ID of 8, a packet number of 4. The header
// lies right before the payload, in `in` as in `out`, the tag right behind the payload.
#pragma once

#include "peer.hpp"

namespace bench {

constexpr size_t QUIC_NUMBER_AT = 9, QUIC_TAG = 16, QUIC_IV = 12, QUIC_MASK = 5, QUIC_SAMPLE = 16;

// A key of header protection is as long as one of the AEAD's; behind it comes the IV.
inline const uint8_t *quic_hp(const Batch &batch, size_t k) { return batch.mac_key(k); }
inline const uint8_t *quic_iv(const Batch &batch, size_t k) { return batch.mac_key(k) + 32; }

inline void put_quic_header(uint8_t *header, uint64_t number) {
    header[0] = 0x43;  // the key phase is 0, the number has four bytes
    for (size_t i = 0; i < 4; i++) header[QUIC_NUMBER_AT + i] = uint8_t(number >> (24 - 8 * i));
}
inline void put_quic_nonce(const uint8_t *iv, uint64_t number, uint8_t *nonce) {
    memcpy(nonce, iv, QUIC_IV);
    for (size_t i = 0; i < 8; i++) nonce[QUIC_IV - 1 - i] ^= uint8_t(number >> 8 * i);
}
// Writes the header with the mask, or without it, to `to`.
inline void mask_quic_header(const uint8_t *mask, const uint8_t *header, uint8_t *to) {
    if (to != header) memcpy(to, header, QUIC_HEADER);
    to[0] ^= mask[0] & 0x1f;
    for (size_t i = 0; i < 4; i++) to[QUIC_NUMBER_AT + i] ^= mask[1 + i];
}
// The number of a header without its mask, whose upper half is that of `expected`.
inline uint64_t quic_number(const uint8_t *header, uint64_t expected) {
    uint64_t number = expected >> 32;
    for (size_t i = 0; i < 4; i++) number = number << 8 | header[QUIC_NUMBER_AT + i];
    return number;
}

// Packets one after the other, by a peer that has an AEAD and a block of the header's cipher.
class QuicTask : public Task {
public:
    QuicTask(const Row &row, const Batch &batch) : row_(row), chacha_(row.chacha()), batch_(batch) {}
    bool run() override {
        const size_t first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++) {
            const size_t k = batch_.key_of(i);
            if (!(row_.open ? open(batch_.buffers[i], k) : seal(batch_.buffers[i], k))) return false;
        }
        return true;
    }

protected:
    // With key k: the header is the AAD; the tag is read or written behind the ciphertext.
    virtual bool run_aead(size_t k, const uint8_t *nonce, const uint8_t *header, const Buffer &b) = 0;
    virtual bool make_mask(size_t k, const uint8_t *sample, uint8_t *mask) = 0;
    const Row row_;
    const bool chacha_;
    const Batch &batch_;

private:
    // The sample begins four bytes behind the number's first one: at the payload.
    bool seal(const Buffer &b, size_t k) {
        uint8_t *const header = b.out - QUIC_HEADER, nonce[QUIC_IV], mask[QUIC_SAMPLE];
        put_quic_header(header, b.sequence);
        put_quic_nonce(quic_iv(batch_, k), b.sequence, nonce);
        if (!run_aead(k, nonce, header, b) || !make_mask(k, b.out, mask)) return false;
        mask_quic_header(mask, header, header);
        return true;
    }
    bool open(const Buffer &b, size_t k) {
        uint8_t *const header = b.out - QUIC_HEADER, nonce[QUIC_IV], mask[QUIC_SAMPLE];
        if (!make_mask(k, b.in, mask)) return false;
        mask_quic_header(mask, b.in - QUIC_HEADER, header);
        put_quic_nonce(quic_iv(batch_, k), quic_number(header, b.sequence), nonce);
        return run_aead(k, nonce, header, b);
    }
    Turns turns_{batch_};
};

}  // namespace bench
