// DER of integers and a sequence of them (X.690, 8.3, 8.9, 10.1), as signatures of ECDSA (RFC 3279, 2.2.3) and private
// keys of RSA (RFC 8017, A.1.2) have it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst::ossl {

// Written from the end to the front, because a length comes before what it counts.
class Der {
public:
    Der(uint8_t *memory, size_t room) : memory_(memory), end_(room), at_(room) {}
    // The number is big-endian and not negative; leading zeros are left out.
    void put_integer(const uint8_t *number, size_t bytes);
    // Around all that there is so far.
    void put_sequence();
    // NULL: there was not enough room.
    const uint8_t *data() const { return full_ ? nullptr : memory_ + at_; }
    size_t bytes() const { return full_ ? 0 : end_ - at_; }

private:
    void put(const uint8_t *bytes, size_t n);
    void put_head(uint8_t tag, size_t length);

    uint8_t *const memory_;
    const size_t end_;
    size_t at_;
    bool full_ = false;
};

// Reads the integers r and s of a signature, each of at most 32 bytes, into 64. False for everything else.
bool read_signature(const uint8_t *der, size_t bytes, uint8_t (&out)[64]);

}  // namespace cst::ossl
