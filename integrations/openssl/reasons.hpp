// Reasons for OpenSSL's error queue. Programs look at them (python3-cryptography makes ValueError or InvalidTag of
// them), so where `default` refuses something with an error, the provider has the same one; where `default` refuses
// without an error, so does the provider.
#pragma once

#include <openssl/core.h>
#include <openssl/err.h>
#include <openssl/evperr.h>
#include <openssl/proverr.h>

#include <cstdint>

namespace cst::ossl {

// libcrypto takes a reason with the number of a library in it for one of that library's.
constexpr uint32_t openssl_reason(int library, int reason) {
    return uint32_t(library) << ERR_LIB_OFFSET | uint32_t(reason);
}

enum Reason : uint32_t {
    // The provider's own, for what `default` does not refuse; their texts are in reasons.cpp.
    BAD_CONFIGURATION = 1,
    NO_CONTEXT,
    DATA_LENGTH,
    MAC_KEY_LENGTH,
    CIPHER,
    NO_RANDOM,
    NO_STACK,
    OVERLAP,
    FAILED,

    WRONG_AAD = openssl_reason(ERR_LIB_PROV, PROV_R_INVALID_AAD),
    AAD_LENGTH = openssl_reason(ERR_LIB_PROV, PROV_R_INVALID_DATA),
    BAD_PARAMETER = openssl_reason(ERR_LIB_PROV, PROV_R_FAILED_TO_GET_PARAMETER),
    CIPHER_KEY_LENGTH = openssl_reason(ERR_LIB_EVP, EVP_R_INVALID_KEY_LENGTH),
    EQUAL_KEYS = openssl_reason(ERR_LIB_PROV, PROV_R_XTS_DUPLICATED_KEYS),
    IV_LENGTH = openssl_reason(ERR_LIB_PROV, PROV_R_INVALID_IV_LENGTH),
    KEY_LENGTH = openssl_reason(ERR_LIB_PROV, PROV_R_INVALID_KEY_LENGTH),
    NO_KEY = openssl_reason(ERR_LIB_PROV, PROV_R_NO_KEY_SET),
    NO_ROOM = openssl_reason(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL),
    NO_TAG = openssl_reason(ERR_LIB_PROV, PROV_R_TAG_NOT_SET),
    OPERATION = openssl_reason(ERR_LIB_PROV, PROV_R_CIPHER_OPERATION_FAILED),
    PADDING = openssl_reason(ERR_LIB_PROV, PROV_R_BAD_DECRYPT),
    WRONG_TAG = openssl_reason(ERR_LIB_PROV, PROV_R_INVALID_TAG),
    TAG_LENGTH = openssl_reason(ERR_LIB_PROV, PROV_R_INVALID_TAG_LENGTH),
    TAG_NOT_NEEDED = openssl_reason(ERR_LIB_PROV, PROV_R_TAG_NOT_NEEDED),
    TOO_LONG_FOR_XTS = openssl_reason(ERR_LIB_PROV, PROV_R_XTS_DATA_UNIT_IS_TOO_LARGE),
    TOO_MANY_RECORDS = openssl_reason(ERR_LIB_PROV, PROV_R_TOO_MANY_RECORDS),
    UNREADABLE = openssl_reason(ERR_LIB_PROV, PROV_R_FAILED_TO_SET_PARAMETER),
    WRONG_END = openssl_reason(ERR_LIB_PROV, PROV_R_WRONG_FINAL_BLOCK_LENGTH)
};
extern const OSSL_ITEM REASONS[];

}  // namespace cst::ossl
