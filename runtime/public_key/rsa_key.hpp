// A private key of RSA (RFC 8017, 3.2), ready for use: its two primes with what is computed modulo each of them once.
#pragma once

#include "blinding.hpp"
#include "digests.hpp"

namespace cst {

constexpr size_t MOST_RSA_BYTES = MOST_NUMBER_WORDS * 8;

// One of the primes. Its numbers have as many words as it has.
struct RsaPrime {
    Modulus modulus;
    uint64_t exponent[MOST_PRIME_WORDS];  // the private one, modulo the prime less 1
    // Of the kernels' form, where R is 2^(52 limbs): R, R^2 and 2^bits R^2 modulo the prime
    uint64_t one[MOST_PRIME_WORDS], square[MOST_PRIME_WORDS], upper[MOST_PRIME_WORDS];
};

class RsaKey {
public:
    RsaKey() = default;
    ~RsaKey();
    RsaKey(const RsaKey &) = delete;
    RsaKey &operator=(const RsaKey &) = delete;

    // Reads RSAPrivateKey (RFC 8017, A.1.2) in DER, or PKCS#8's PrivateKeyInfo with it (RFC 5208, 5). Returns
    // CST_ERR_LENGTH: not of 2048, 3072 or 4096 bits; CST_ERR_UNSUPPORTED: a key of another shape than two primes of
    // half the length; CST_ERR_ARGUMENT: not such an encoding, or numbers that do not belong together. Throws
    // std::bad_alloc. Time depends on the public key, and on whether the key is refused.
    int init(const void *der, size_t size, const Digests &sha256);

    // Whether it may sign with PSS and do nothing else (RFC 4055, 1.2).
    bool pss_alone() const { return pss_alone_; }
    size_t bytes() const { return 8 * words_; }
    size_t words() const { return words_; }
    size_t prime_bits() const { return 32 * words_; }
    const uint64_t *n() const { return n_; }
    uint64_t e() const { return e_; }
    const RsaPrime &prime(size_t i) const { return prime_[i]; }  // p, q
    // q, and 1 / q modulo p times R of that modulus
    const uint64_t *coefficient() const { return coefficient_; }

    // Several threads may call it.
    void next_blinding(BlindingFactors *out) const;
    const Blinding &blinding() const { return blinding_; }

private:
    bool belong_together(const uint64_t *d, const uint64_t *dp, const uint64_t *dq, const uint64_t *coefficient) const;
    bool prepare(const uint8_t *seed);

    size_t words_ = 0;
    uint64_t e_ = 0;
    uint64_t n_[MOST_NUMBER_WORDS] = {}, coefficient_[MOST_PRIME_WORDS] = {};
    RsaPrime prime_[2] = {};
    mutable Blinding blinding_;
    bool pss_alone_ = false;
};

}  // namespace cst
