// Encodings of RSA (RFC 8017, 7.1, 9.1 and 9.2). The generator of masks is MGF1 with the same hash.
#pragma once

#include "digests.hpp"

namespace cst {

// EMSA-PKCS1-v1_5 of a digest of SHA-256, SHA-384 or SHA-512, which its length tells; `size`: of the modulus in bytes.
void pad_pkcs1(const uint8_t *digest, size_t digest_bytes, uint8_t *out, size_t size);
// Writes the same encoding with `content`, of at most size - PKCS1_FRAME bytes, in the place of DigestInfo.
constexpr size_t PKCS1_FRAME = 11;
void pad_pkcs1_content(const uint8_t *content, size_t bytes, uint8_t *out, size_t size);

// EMSA-PSS of a digest of `hash`, of a modulus whose highest bit is set. salt_bytes is at most pss_salt_room().
size_t pss_salt_room(size_t hash_bytes, size_t size);
void pad_pss(const Digests &hash, const uint8_t *digest, const uint8_t *salt, size_t salt_bytes, uint8_t *out,
             size_t size);

// The most bytes that EME-OAEP encodes.
size_t oaep_room(size_t hash_bytes, size_t size);
// EME-OAEP decoding, in place: puts the message in front and its length into *bytes. Returns 1, or 0 where anything is
// wrong, after the same time. label_digest: of the label.
uint32_t unpad_oaep(const Digests &hash, const uint8_t *label_digest, uint8_t *encoded, size_t size, size_t *bytes);

}  // namespace cst
