#include "signature.hpp"

#include <cstring>

#include "check.hpp"
#include "cryptostitch/cryptostitch.h"

extern "C" int cst_sodium_crypto_sign_ed25519_verify_detached(const unsigned char *signature,
                                                              const unsigned char *message, unsigned long long size,
                                                              const unsigned char *public_key);

namespace cst {

namespace {

constexpr char MAGIC[8] = {'C', 'S', 'T', 'S', 'I', 'G', 'N', 0};
constexpr size_t TRAILER_BYTES = sizeof MAGIC + SIGNATURE_BYTES;

}  // namespace

bool verify_signature(const uint8_t *public_key, const uint8_t *signature, const uint8_t *message, size_t size) {
    return cst_sodium_crypto_sign_ed25519_verify_detached(signature, message, size, public_key) == 0;
}

int take_signature(const uint8_t *bytes, size_t *size, const uint8_t *public_key, std::string *why) {
    const bool is_signed =
        *size >= TRAILER_BYTES && std::memcmp(bytes + *size - TRAILER_BYTES, MAGIC, sizeof MAGIC) == 0;
    if (is_signed) *size -= TRAILER_BYTES;
    if (!public_key) return CST_OK;
    if (!is_signed) return refuse(why, "it is not signed, and the application wants a signature");
    if (!verify_signature(public_key, bytes + *size + sizeof MAGIC, bytes, *size))
        return refuse(why, "its signature is not by the application's key");
    return CST_OK;
}

}  // namespace cst
