// ECDSA with SHA-256 (FIPS 186-5, 6; RFC 6979) and ECDH (SP 800-56A, 5.7.1.2) on P-256, for many jobs: points in lanes,
// digests in lanes, one inversion for many results.
#pragma once

#include "digests.hpp"
#include "p256_multiplication.hpp"

namespace cst {

constexpr size_t P256_SECRET = 32, P256_SHARED = 32, P256_SIGNATURE = 64;

// Objects may be shared by several threads. `run` throws std::bad_alloc; then no result counts.

// What is signed: a message, or its digest by any hash, of 1 to Digests::MOST_BYTES bytes.
struct EcdsaMessage {
    const void *data;
    size_t bytes;
    bool is_digest;
};

class EcdsaVerification {
public:
    struct Job {
        const uint8_t *key;  // of 65 bytes or 33
        size_t key_bytes;
        const uint8_t *signature;  // r, then s
        EcdsaMessage message;
        bool right;  // the result
    };
    // kernel: as for P256Multiplication.
    int init(const Engine &engine, const Suites &suites, const char *kernel);
    void run(Job *jobs, size_t n) const;

private:
    void run_some(Job *jobs, size_t n) const;

    Digests sha256_;
    P256Multiplication points_;
};

// Makes signatures; everything but the results and the length of a message stays secret.
class EcdsaSigning {
public:
    struct Job {
        const uint8_t *secret;
        EcdsaMessage message;
        bool usable;  // result: false if the secret key is 0 or not below the order
        uint8_t signature[P256_SIGNATURE];
    };
    int init(const Engine &engine, const Suites &suites, const char *kernel);
    void run(Job *jobs, size_t n) const;

private:
    class Round;

    Digests sha256_;
    P256Multiplication points_;
};

// Multiplies points by secrets.
class P256Agreement {
public:
    struct Job {
        const uint8_t *secret, *peer;  // peer, of 65 bytes or 33; NULL: the base point
        size_t peer_bytes;
        bool usable;  // result: false if the secret is 0 or not below the order, or the peer no point
        uint8_t result[P256_POINT];  // the point's encoding
    };
    int init(const Engine &engine, const char *kernel) {
        return points_.init(engine, kernel, P256Multiplication::Use::multiples);
    }
    void run(Job *jobs, size_t n) const;

private:
    void run_some(Job *jobs, size_t n) const;

    P256Multiplication points_;
};

}  // namespace cst
