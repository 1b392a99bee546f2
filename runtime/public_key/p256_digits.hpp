// Digits of secret multipliers of points of P-256. No branch and no address depends on a multiplier.
#pragma once

#include "../suite/secret.hpp"
#include "numbers/p256.hpp"

namespace cst {

// An odd number k below 2^256 is the sum of d_i 2^(BITS i), where d_i = 2 b_i - (2^BITS - 1) and b_i are the N digits
// of (k + 2^(BITS N) - 1) / 2 = (k - 1) / 2 + 2^(BITS N - 1): no digit is 0, so that no addition but the last one may
// be of equal or opposite points, or to the neutral one (M. Joye, M. Tunstall, Exponent recoding and regular
// exponentiation algorithms, 2009). For an even k the order less k, which is odd, is the multiplier, and all signs are
// the other ones.
template <unsigned DIGIT_BITS, size_t N>
class SignedDigits {
public:
    static constexpr unsigned BITS = DIGIT_BITS;
    static constexpr size_t DIGITS = N;

    explicit SignedDigits(const Number256 &k) {
        flipped_ = 1 ^ is_odd(k);
        const Number256 odd = chosen(0 - flipped_, p256_order().less(k), k);
        for (size_t w = 0; w < 4; w++) half_[w] = odd.word[w] >> 1 | (w < 3 ? odd.word[w + 1] << 63 : 0);
        half_[4] = uint64_t(1) << (BITS * DIGITS - 1 - 256);
    }
    ~SignedDigits() { wipe(this, sizeof(*this)); }
    uint64_t flipped() const { return flipped_; }
    // The digit is 2 index + 1, or the negative of that.
    size_t index(size_t at) const {
        const uint64_t b = bits(at);
        return (b ^ ((b >> (BITS - 1)) - 1)) & ((1 << (BITS - 1)) - 1);
    }
    uint64_t negative(size_t at) const { return bits(at) >> (BITS - 1) ^ 1 ^ flipped_; }

private:
    uint64_t bits(size_t at) const {
        const size_t word = at * BITS / 64, shift = at * BITS % 64;
        uint64_t its = half_[word] >> shift;
        if (shift > 64 - BITS) its |= half_[word + 1] << (64 - shift);
        return its & ((1 << BITS) - 1);
    }

    uint64_t flipped_, half_[5];
};
typedef SignedDigits<4, 65> P256Digits;  // the highest one is 1
typedef SignedDigits<5, 52> P256SingleDigits;  // likewise
typedef SignedDigits<6, 43> P256CombDigits;

}  // namespace cst
