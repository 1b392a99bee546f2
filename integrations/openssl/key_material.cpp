#include "key_material.hpp"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "der.hpp"
#include "suite/secret.hpp"

namespace cst::ossl {
namespace {

bool get(const ErrorQueue &errors, Algorithm keys, void *key, OSSL_PARAM *params) {
    const Speculation speculation(errors);
    return original<OSSL_FUNC_keymgmt_get_params_fn>(keys, OSSL_FUNC_KEYMGMT_GET_PARAMS)(key, params);
}

}  // namespace

bool get_octets(const ErrorQueue &errors, Algorithm keys, void *key, const char *name, uint8_t *to) {
    OSSL_PARAM params[] = {OSSL_PARAM_octet_string(name, to, CURVE_BYTES), OSSL_PARAM_END};
    params[0].return_size = OSSL_PARAM_UNMODIFIED;
    return key && get(errors, keys, key, params) && params[0].return_size == CURVE_BYTES;
}

bool is_p256(const ErrorQueue &errors, void *key) {
    char name[64] = {};
    OSSL_PARAM params[] = {OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, name, sizeof(name)), OSSL_PARAM_END};
    return key && get(errors, EC_KEYS, key, params) && (!strcmp(name, "prime256v1") || !strcmp(name, "P-256"));
}

bool get_p256_secret(const ErrorQueue &errors, void *key, uint8_t (&to)[CURVE_BYTES]) {
    OSSL_PARAM params[] = {
        {OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PARAM_UNSIGNED_INTEGER, to, CURVE_BYTES, OSSL_PARAM_UNMODIFIED},
        OSSL_PARAM_END};
    if (!key || !get(errors, EC_KEYS, key, params) || params[0].return_size != CURVE_BYTES) return false;
    std::reverse(to, to + CURVE_BYTES);
    return true;
}

bool get_p256_public(const ErrorQueue &errors, void *key, uint8_t (&to)[P256_POINT], size_t *bytes) {
    OSSL_PARAM params[] = {OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, to, P256_POINT), OSSL_PARAM_END};
    params[0].return_size = OSSL_PARAM_UNMODIFIED;
    if (!key || !get(errors, EC_KEYS, key, params)) return false;
    *bytes = params[0].return_size;
    return (*bytes == P256_POINT && to[0] == 4) || *bytes == P256_COMPRESSED;
}

namespace {

constexpr size_t NUMBERS = 8;
constexpr const char *NAMES[NUMBERS] = {OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
                                        OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
                                        OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
                                        OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1};

struct Numbers {
    ~Numbers() { wipe(this, sizeof(*this)); }
    uint8_t number[NUMBERS][MOST_RSA_BYTES];
    uint8_t der[NUMBERS * (MOST_RSA_BYTES + 8) + 16];
};

// Little-endian, without leading zeros.
bool get_modulus(const ErrorQueue &errors, void *key, PreparedRsaKey *to) {
    OSSL_PARAM params[] = {
        {OSSL_PKEY_PARAM_RSA_N, OSSL_PARAM_UNSIGNED_INTEGER, to->modulus, MOST_RSA_BYTES, OSSL_PARAM_UNMODIFIED},
        OSSL_PARAM_END};
    if (!get(errors, RSA_KEYS, key, params) || params[0].return_size > MOST_RSA_BYTES) return false;
    to->bytes = params[0].return_size;
    while (to->bytes > 1 && !to->modulus[to->bytes - 1]) to->bytes--;
    return true;
}

// NULL: no memory.
std::shared_ptr<const PreparedRsaKey> prepare(const PublicKeys &its, void *key) {
    const auto numbers = std::make_unique<Numbers>();
    OSSL_PARAM params[NUMBERS + 1] = {};
    for (size_t i = 0; i < NUMBERS; i++)
        params[i] = {NAMES[i], OSSL_PARAM_UNSIGNED_INTEGER, numbers->number[i], MOST_RSA_BYTES, OSSL_PARAM_UNMODIFIED};
    auto made = std::make_shared<PreparedRsaKey>();
    if (!get_modulus(its.errors(), key, made.get())) return made;
    const bool all =
        get(its.errors(), RSA_KEYS, key, params) && std::all_of(params, params + NUMBERS, [](const OSSL_PARAM &param) {
            return param.return_size != OSSL_PARAM_UNMODIFIED && param.return_size <= MOST_RSA_BYTES;
        });
    if (!all) return made;
    Der der(numbers->der, sizeof(numbers->der));
    for (size_t i = NUMBERS; i--;) {
        size_t bytes = params[i].return_size;
        while (bytes > 1 && !numbers->number[i][bytes - 1]) bytes--;
        std::reverse(numbers->number[i], numbers->number[i] + bytes);
        der.put_integer(numbers->number[i], bytes);
    }
    const uint8_t two_primes = 0;
    der.put_integer(&two_primes, 1);
    der.put_sequence();
    cst_pk_key *prepared;
    if (!its.prepare(der.data(), der.bytes(), &prepared)) return nullptr;
    made->prepared.reset(prepared);
    return made;
}

// Whether it is the private key of which `prepared` was made: an import may have changed it.
bool is_same(const ErrorQueue &errors, void *key, const PreparedRsaKey &prepared) {
    const Speculation speculation(errors);
    PreparedRsaKey its;
    return get_modulus(errors, key, &its) && its.bytes == prepared.bytes &&
           !memcmp(its.modulus, prepared.modulus, its.bytes) &&
           original<OSSL_FUNC_keymgmt_has_fn>(RSA_KEYS, OSSL_FUNC_KEYMGMT_HAS)(key, OSSL_KEYMGMT_SELECT_PRIVATE_KEY);
}

struct Known {
    std::shared_ptr<const PreparedRsaKey> prepared;
    size_t holders = 0;
    bool is_freed = false;
};
std::mutex rsa_mutex;
std::map<void *, Known> &rsa_keys() {
    static auto *const all = new std::map<void *, Known>();  // keys outlive destructors
    return *all;
}
// Takes off what nobody needs. What it returns is to be freed without the lock.
std::shared_ptr<const PreparedRsaKey> clear(std::map<void *, Known>::iterator at) {
    if (at->second.holders || (at->second.prepared && !at->second.is_freed)) return nullptr;
    const auto its = std::move(at->second.prepared);
    rsa_keys().erase(at);
    return its;
}

}  // namespace

std::shared_ptr<const PreparedRsaKey> rsa_key(const PublicKeys &its, void *key) {
    if (!key) return nullptr;
    try {
        std::shared_ptr<const PreparedRsaKey> known;
        {
            const std::lock_guard<std::mutex> lock(rsa_mutex);
            const auto found = rsa_keys().find(key);
            if (found != rsa_keys().end()) known = found->second.prepared;
        }
        if (known && is_same(its.errors(), key, *known)) return known;
        auto made = prepare(its, key);
        if (!made) return nullptr;
        const std::lock_guard<std::mutex> lock(rsa_mutex);
        const auto found = rsa_keys().find(key);
        if (found == rsa_keys().end()) return made;
        known.swap(found->second.prepared);  // freed without the lock
        return found->second.prepared = std::move(made);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

// Without memory for it nothing of the key is kept.
void hold_rsa_key(void *key) {
    try {
        const std::lock_guard<std::mutex> lock(rsa_mutex);
        rsa_keys()[key].holders++;
    } catch (const std::bad_alloc &) {}
}

void release_rsa_key(void *key) {
    std::shared_ptr<const PreparedRsaKey> unused;
    const std::lock_guard<std::mutex> lock(rsa_mutex);
    const auto found = rsa_keys().find(key);
    if (found == rsa_keys().end()) return;
    if (found->second.holders) found->second.holders--;
    unused = clear(found);
}

void forget_rsa_key(void *key) {
    std::shared_ptr<const PreparedRsaKey> unused;
    const std::lock_guard<std::mutex> lock(rsa_mutex);
    const auto found = rsa_keys().find(key);
    if (found == rsa_keys().end()) return;
    found->second.is_freed = true;
    unused = clear(found);
}

}  // namespace cst::ossl
