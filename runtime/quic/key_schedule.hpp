// The key schedule of RFC 9001, 5.1, 5.2 and 6.1, and the tag of Retry packets (5.8), of QUIC's versions 1 and 2 (RFC
// 9369, 3.3).
#pragma once

#include "quic_key.hpp"

namespace cst {

struct QuicVersion {
    uint32_t number;
    const char *key, *iv, *hp, *ku;  // labels
    uint8_t salt[20];  // of Initial secrets
    uint8_t retry_key[16], retry_iv[QUIC_IV];

    // NULL: there is none of that number.
    static const QuicVersion *find(uint32_t number);
};

constexpr size_t QUIC_MOST_SECRET = 48, QUIC_INITIAL_SECRET = 32, QUIC_MOST_CONNECTION_ID = 20;

// All throw std::bad_alloc, and return an error of a suite or key; then nothing was written.
int new_quic_key(const Suites &suites, const QuicAlgorithm &algorithm, const QuicVersion &version,
                 const uint8_t *secret, const QuicKey *before, QuicKeyPointer *out);
int next_secret(const Suites &suites, const QuicAlgorithm &algorithm, const QuicVersion &version, const uint8_t *secret,
                uint8_t *next);
int initial_secrets(const Suites &suites, const QuicVersion &version, const uint8_t *connection_id, size_t n,
                    uint8_t *client, uint8_t *server);
int retry_tag(const Suites &suites, const QuicVersion &version, const uint8_t *connection_id, size_t n,
              const uint8_t *packet, size_t packet_bytes, uint8_t *tag);

}  // namespace cst
