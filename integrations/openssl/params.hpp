// Reading and writing of OSSL_PARAM. The functions for it are libcrypto's, which a module does not link: it would bring
// a second one into the process.
#pragma once

#include <openssl/core.h>
#include <openssl/params.h>

#include <cstddef>
#include <cstdint>

namespace cst::ossl {

// NULL: it is not there.
const OSSL_PARAM *find(const OSSL_PARAM *params, const char *key);
OSSL_PARAM *find(OSSL_PARAM *params, const char *key);

// Unsigned and signed integers of 1 to 8 bytes. False: of another type, negative, or too large.
bool get_number(const OSSL_PARAM &param, uint64_t *out);
// The same of a parameter that may be missing: then nothing happens.
template <typename T>
bool get_if(const OSSL_PARAM *params, const char *key, T *out) {
    const OSSL_PARAM *const param = find(params, key);
    uint64_t number;
    if (!param) return true;
    if (!get_number(*param, &number) || number > T(~T(0))) return false;
    *out = T(number);
    return true;
}

// What a caller asks for. Without room (data NULL) only the size is told. False: of another type, or no room.
bool put_number(OSSL_PARAM *param, uint64_t number);
bool put_octets(OSSL_PARAM *param, const void *data, size_t bytes);
bool put_text(OSSL_PARAM *param, const char *text);
// The same of parameters that nobody may have asked for.
bool put_if(OSSL_PARAM *params, const char *key, uint64_t number);
bool put_octets_if(OSSL_PARAM *params, const char *key, const void *data, size_t bytes);

inline bool is_octets(const OSSL_PARAM &param) { return param.data_type == OSSL_PARAM_OCTET_STRING; }

}  // namespace cst::ossl
