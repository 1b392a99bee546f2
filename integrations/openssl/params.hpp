// Reading and writing of OSSL_PARAM. The functions for it are libcrypto's, which a module does not link: it would bring
// a second one into the process.
#pragma once

#include <openssl/core.h>
#include <openssl/params.h>

#include <cstddef>
#include <cstdint>

namespace cst::ossl {

// Return NULL if there is none of that name.
const OSSL_PARAM *find(const OSSL_PARAM *params, const char *key);
OSSL_PARAM *find(OSSL_PARAM *params, const char *key);

// Unsigned and signed integers of 1 to 8 bytes. False: of another type, negative, or too large.
bool get_number(const OSSL_PARAM &param, uint64_t *out);
// Reads a parameter that may be missing: then nothing happens.
template <typename T>
bool get_if(const OSSL_PARAM *params, const char *key, T *out) {
    const OSSL_PARAM *const param = find(params, key);
    uint64_t number;
    if (!param) return true;
    if (!get_number(*param, &number) || number > T(~T(0))) return false;
    *out = T(number);
    return true;
}

// Write a value that a caller asks for. Without room (data NULL) they report only the size. They return false if the
// type is another one, or there is no room.
bool put_number(OSSL_PARAM *param, uint64_t number);
bool put_octets(OSSL_PARAM *param, const void *data, size_t bytes);
bool put_text(OSSL_PARAM *param, const char *text);
// Write a value if the caller asks for it.
bool put_if(OSSL_PARAM *params, const char *key, uint64_t number);
bool put_octets_if(OSSL_PARAM *params, const char *key, const void *data, size_t bytes);

inline bool is_octets(const OSSL_PARAM &param) { return param.data_type == OSSL_PARAM_OCTET_STRING; }

}  // namespace cst::ossl
