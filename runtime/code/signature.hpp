// Verifies the optional trailer of a pack: pack
//
//  "CSTSIGN\0"
//
//  64 bytes, an Ed25519 signature (RFC 8032) over all bytes of the pack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cst {

enum : size_t { PUBLIC_KEY_BYTES = 32, SIGNATURE_BYTES = 64 };

// Verifies as RFC 8032, 5.1.7 says, and more strictly where no honest signer is affected: S must be below L, and
// neither the key nor R may have small order.
bool verify_signature(const uint8_t *public_key, const uint8_t *signature, const uint8_t *message, size_t size);

// Removes the trailer, if there is one, from *size. With a public key, returns CST_ERR_PACK and a sentence in *why
// unless its signature is right. Interprets nothing of the pack itself. `bytes` must be a copy that nobody else can
// change.
int take_signature(const uint8_t *bytes, size_t *size, const uint8_t *public_key, std::string *why);

}  // namespace cst
