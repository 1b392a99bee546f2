// The keys of one direction and key phase (RFC 9001, 5.1), and how many packets they have protected (6.6).
#pragma once

#include <atomic>
#include <memory>

#include "../suite/key.hpp"
#include "../suite/wiped.hpp"

namespace cst {

constexpr size_t QUIC_IV = 12, QUIC_TAG = 16, QUIC_MOST_KEY = 32;
constexpr uint64_t NO_LIMIT = UINT64_MAX;

// An AEAD of RFC 9001: the suites that implement it and its key schedule, its lengths, and the limits of 6.6.
struct QuicAlgorithm {
    const char *name;
    const char *hmac;  // of its key schedule
    size_t key_bytes, secret_bytes;
    bool chacha;  // header protection is ChaCha20 (5.4.4), else AES (5.4.3)
    uint64_t most_sealed, most_failed;

    // NULL: there is none of that name.
    static const QuicAlgorithm *find(const char *name);
};

// Counts packets up to a limit, from any thread.
class alignas(64) Allowance {
public:
    explicit Allowance(uint64_t most) : most_(most) {}
    uint64_t most() const { return most_; }
    uint64_t used() const { return used_.load(std::memory_order_relaxed); }
    bool is_used_up() const { return used() >= most_; }
    // Takes up to n; returns how many there were.
    uint64_t take(uint64_t n) {
        uint64_t used = used_.load(std::memory_order_relaxed), some;
        do {
            some = used < most_ ? most_ - used < n ? most_ - used : n : 0;
            if (!some) return 0;
        } while (!used_.compare_exchange_weak(used, used + some, std::memory_order_relaxed));
        return some;
    }
    // Counts n beyond the limit, too.
    void add(uint64_t n) { used_.fetch_add(n, std::memory_order_relaxed); }

private:
    std::atomic<uint64_t> used_{0};
    const uint64_t most_;
};

// The keys of header protection: AES's round keys, or a key of ChaCha20.
struct HeaderKey {
    uint32_t rounds = 0;  // of AES
    KeyPointer chacha;
    alignas(64) KeyRow aes[AES_MOST_ROUNDS + 1];
};

struct QuicKey {
    QuicKey(const QuicAlgorithm &its, std::shared_ptr<Allowance> failures)
        : algorithm(its), failed(std::move(failures)), sealed(its.most_sealed) {}

    const QuicAlgorithm &algorithm;
    KeyPointer aead;
    uint8_t iv[QUIC_IV];
    HeaderKey header;
    const std::shared_ptr<Allowance> failed;  // of all key phases (6.6)
    mutable Allowance sealed;  // the only member that calls write, in a cache line of its own
};
using QuicKeyPointer = WipedPointer<QuicKey>;

// Makes a key of its parts. hp: NULL, the header protection is that of `before`. Throws std::bad_alloc.
int new_quic_key(const Suites &suites, const QuicAlgorithm &algorithm, const uint8_t *key, const uint8_t *iv,
                 const uint8_t *hp, const QuicKey *before, QuicKeyPointer *out);

}  // namespace cst
