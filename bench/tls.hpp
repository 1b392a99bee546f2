// TLS records (RFC 5246, 6.2.3.2) made from OpenSSL's plain AES-CBC and HMAC: what every implementation's records are
// compared with.
#pragma once

#include "peer.hpp"

namespace bench {

constexpr uint8_t TLS_TYPE = 23;             // application data
constexpr uint8_t TLS_VERSION[2] = {3, 3};   // 1.2
constexpr size_t TLS_HEADER = 5, TLS_IV = 16, TLS_LONGEST = 16384;

inline size_t tls_ciphertext_bytes(const Row &row, size_t text) { return (text + hash_bytes(row.hash)) / 16 * 16 + 16; }
// Room for a text as records of 1,024 bytes or more, each with header, IV, MAC and padding.
inline size_t tls_write_bytes(size_t text) { return text + (text / 1024 + 1) * (TLS_HEADER + TLS_IV + 48 + 16); }
// Sequence number || type || version, what the MAC begins with.
void tls_head(uint64_t sequence, uint8_t head[11]);

// The ciphertext of one record with the explicit IV `iv`; tls_ciphertext_bytes(row, bytes) long. False: OpenSSL failed.
bool tls_seal(const Row &row, const Buffer &buffer, uint64_t sequence, const uint8_t *iv, const uint8_t *text,
              size_t bytes, uint8_t *out);
// Whether buffer.out is the records of the whole text, with any cut and any IVs.
bool tls_is_written(const Row &row, const Buffer &buffer);

} // namespace bench
