// Ed25519 (RFC 8032, 5.1) for many jobs: points in lanes, SHA-512 in lanes, one inversion for many results.
#pragma once

#include <memory>
#include <vector>

#include "numbers/scalar25519.hpp"
#include "point_multiplication.hpp"
#include "point_single.hpp"
#include "digests.hpp"

namespace cst {

constexpr size_t ED25519_KEY = 32, ED25519_SIGNATURE = 64;

// Several threads may share an object. Signatures, messages and keys are public here: only a verdict is the result.
class Ed25519Verification {
public:
    struct Job {
        const uint8_t *key, *signature;
        const void *message;
        size_t bytes;
        bool right;  // the result
    };

    // zip215: by the rules of ZIP 215 (every encoding of a point, and the equation with the cofactor) instead of those
    // of RFC 8032, 5.1.7 (canonical encodings, and the equation without it). Returns the errors of kernels.
    int init(const Engine &engine, const Suites &suites, const char *kernel, bool zip215);
    // Throws std::bad_alloc; then no result counts.
    void run(Job *jobs, size_t n) const;

private:
    class Round;

    bool zip215_ = false;
    Digests sha512_;
    PointMultiplication points_;
    NumberTable base_;  // 0 to 128 times the base point: the numbers of an operand, and the negative of the product
    std::unique_ptr<PointSum> single_;
};

// Makes keys and signatures. Several threads may share an object. Everything but the results and the length of a
// message stays secret; the caller clears the registers.
class Ed25519Signing {
public:
    struct Job {
        const uint8_t *seed;        // the secret key of RFC 8032
        const uint8_t *public_key;  // NULL: is computed
        const void *message;
        size_t bytes;
        uint8_t result[ED25519_SIGNATURE];  // the signature; or the public key alone
    };

    int init(const Engine &engine, const Suites &suites, const char *kernel);
    // Throw std::bad_alloc; then no result counts.
    void make_public_keys(Job *jobs, size_t n) const;
    void sign(Job *jobs, size_t n) const;

private:
    void make_combs();
    void sign_some(Job *jobs, size_t n) const;
    // The scalars of seeds, and the digests, whose second half begins what a nonce is made of.
    void expand(const Job *jobs, size_t n, Scalar25519 *scalars, uint8_t (*digests)[SHA512_BYTES]) const;
    // Writes the encodings of multiples of the base point.
    void multiply_base(const Scalar25519 *scalars, size_t n, uint8_t (*encoded)[POINT_BYTES]) const;

    Digests sha512_;
    PointMultiplication points_;
    NumberTable combs_;  // for each tooth, what add_common reads
    std::unique_ptr<PointComb> single_;
};

}  // namespace cst
