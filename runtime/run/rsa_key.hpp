// A private key of RSA (RFC 8017, 3.2), ready for use: its two primes with what is computed modulo each of them once.
#pragma once

#include <mutex>

#include "../suite/big_number.hpp"
#include "digests.hpp"

namespace cst {

constexpr size_t MOST_RSA_BYTES = MOST_NUMBER_WORDS * 8, MOST_PRIME_WORDS = MOST_NUMBER_WORDS / 2;

// One of the primes. Its numbers have as many words as it has.
struct RsaPrime {
    Modulus modulus;
    uint64_t exponent[MOST_PRIME_WORDS];  // the private one, modulo the prime less 1
    // Of the kernels' form, where R is 2^(52 limbs): R, R^2 and 2^bits R^2 modulo the prime
    uint64_t one[MOST_PRIME_WORDS], square[MOST_PRIME_WORDS], upper[MOST_PRIME_WORDS];
    // Blinding (P. Kocher, Timing attacks, 1996, 10): b^e and 1 / b, times the kernels' R
    uint64_t blind[MOST_PRIME_WORDS], unblind[MOST_PRIME_WORDS];
};

class RsaKey {
public:
    RsaKey() = default;
    ~RsaKey();
    RsaKey(const RsaKey &) = delete;
    RsaKey &operator=(const RsaKey &) = delete;

    // Reads RSAPrivateKey (RFC 8017, A.1.2) in DER, or PKCS#8's PrivateKeyInfo with it (RFC 5208, 5). Returns
    // CST_ERR_LENGTH: not of 2048, 3072 or 4096 bits; CST_ERR_ARGUMENT: not such an encoding, or numbers that do not
    // belong together. Throws std::bad_alloc. Time depends on the public key, and on whether the key is refused.
    int init(const void *der, size_t size, const Digests &sha256);

    size_t bytes() const { return 8 * words_; }
    size_t words() const { return words_; }
    size_t prime_bits() const { return 32 * words_; }
    const uint64_t *n() const { return n_; }
    uint64_t e() const { return e_; }
    const RsaPrime &prime(size_t i) const { return prime_[i]; }  // p, q
    // q, and 1 / q modulo p times R of that modulus
    const uint64_t *coefficient() const { return coefficient_; }

    // Takes the pair of blinding factors of each prime that is next, in the kernels' form: each is the square of the
    // one before. Several threads may call it.
    struct Blinding {
        uint64_t blind[2][MOST_PRIME_WORDS], unblind[2][MOST_PRIME_WORDS];
    };
    void next_blinding(Blinding *out) const;

private:
    bool belong_together(const uint64_t *d, const uint64_t *dp, const uint64_t *dq, const uint64_t *coefficient) const;
    bool prepare(const uint8_t *seed);

    size_t words_ = 0;
    uint64_t e_ = 0;
    uint64_t n_[MOST_NUMBER_WORDS] = {}, coefficient_[MOST_PRIME_WORDS] = {};
    mutable RsaPrime prime_[2] = {};  // the blinding factors change
    mutable std::mutex blinding_;
};

}  // namespace cst
