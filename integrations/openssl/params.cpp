#include "params.hpp"

#include <cstring>

namespace cst::ossl {
namespace {

// libcrypto asks for a length once per message, so the comparison is short: most names differ in their first letters.
bool same(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

}  // namespace

const OSSL_PARAM *find(const OSSL_PARAM *params, const char *key) {
    if (params)
        for (; params->key; params++)
            if (same(params->key, key)) return params;
    return nullptr;
}

OSSL_PARAM *find(OSSL_PARAM *params, const char *key) {
    return const_cast<OSSL_PARAM *>(find(static_cast<const OSSL_PARAM *>(params), key));
}

bool get_number(const OSSL_PARAM &param, uint64_t *out) {
    const bool is_signed = param.data_type == OSSL_PARAM_INTEGER;
    if ((!is_signed && param.data_type != OSSL_PARAM_UNSIGNED_INTEGER) || !param.data || !param.data_size ||
        param.data_size > sizeof(*out))
        return false;
    uint64_t number = 0;
    memcpy(&number, param.data, param.data_size);
    if (is_signed && number >> (8 * param.data_size - 1)) return false;
    *out = number;
    return true;
}

bool put_number(OSSL_PARAM *param, uint64_t number) {
    if (param->data_type != OSSL_PARAM_INTEGER && param->data_type != OSSL_PARAM_UNSIGNED_INTEGER) return false;
    if (!param->data) {
        param->return_size = sizeof(number);
        return true;
    }
    const size_t n = param->data_size, bits = 8 * n - (param->data_type == OSSL_PARAM_INTEGER);
    if (!n || n > sizeof(number) || (bits < 64 && number >> bits)) return false;
    memcpy(param->data, &number, n);
    param->return_size = n;
    return true;
}

bool put_octets(OSSL_PARAM *param, const void *data, size_t bytes) {
    param->return_size = bytes;
    if (param->data_type == OSSL_PARAM_OCTET_PTR) {
        if (param->data) memcpy(param->data, &data, sizeof(data));
        return true;
    }
    if (!is_octets(*param)) return false;
    if (!param->data) return true;
    if (param->data_size < bytes) return false;
    memcpy(param->data, data, bytes);
    return true;
}

bool put_text(OSSL_PARAM *param, const char *text) {
    if (param->data_type != OSSL_PARAM_UTF8_PTR) return false;
    param->return_size = strlen(text);
    if (param->data) memcpy(param->data, &text, sizeof(text));
    return true;
}

bool put_if(OSSL_PARAM *params, const char *key, uint64_t number) {
    OSSL_PARAM *const param = find(params, key);
    return !param || put_number(param, number);
}

bool put_octets_if(OSSL_PARAM *params, const char *key, const void *data, size_t bytes) {
    OSSL_PARAM *const param = find(params, key);
    return !param || put_octets(param, data, bytes);
}

}  // namespace cst::ossl
