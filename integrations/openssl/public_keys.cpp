#include "public_keys.hpp"

#include <openssl/core_names.h>
#include <strings.h>

#include <cstring>
#include <mutex>
#include <vector>

#include "api/handles.hpp"
#include "params.hpp"
#include "stack.hpp"

namespace cst::ossl {
namespace {

struct Row {
    const char *operation;
    const char *kernels;  // of which some must have several lanes
};
constexpr Row ROWS[PK_IDS] = {{"x25519", "x25519"},
                              {"ecdh-p256", "p256"},
                              {"ed25519-sign", "ed25519"},
                              {"ed25519-verify", "ed25519"},
                              {"ecdsa-p256-sign", "p256"},
                              {"ecdsa-p256-sign-digest", "p256"},
                              {"ecdsa-p256-verify", "p256"},
                              {"ecdsa-p256-verify-digest", "p256"},
                              {"rsa-private", nullptr},
                              {"rsa-sign-pkcs1-sha256", nullptr},
                              {"rsa-sign-pkcs1-sha256-digest", nullptr},
                              {"rsa-sign-pkcs1-sha384", nullptr},
                              {"rsa-sign-pkcs1-sha384-digest", nullptr},
                              {"rsa-sign-pkcs1-sha512", nullptr},
                              {"rsa-sign-pkcs1-sha512-digest", nullptr},
                              {"rsa-sign-pss-sha256", nullptr},
                              {"rsa-sign-pss-sha256-digest", nullptr}};

bool has_lanes(const Engine &engine, const char *kernels) {
    std::vector<const Variant *> found;
    const auto fits = [&](const Variant &v) {
        return v.role == Role::arithmetic && !strcmp(v.cipher.algorithm->record.suite, kernels) && v.lanes > 1;
    };
    return !engine.fetch_all(nullptr, fits, &found) && !found.empty();
}

constexpr size_t MOST_FUNCTIONS = 48;
OSSL_DISPATCH tables[ALGORITHMS][MOST_FUNCTIONS];  // the same for all providers
std::mutex tables_mutex;

const OSSL_DISPATCH *table(Algorithm of, const Front &front) {
    const std::lock_guard<std::mutex> lock(tables_mutex);
    OSSL_DISPATCH *const made = tables[of];
    if (made[0].function_id) return made;
    size_t n = 0;
    bool taken[Originals::MOST_IDS] = {};
    for (const OSSL_DISPATCH *own = front.own; own->function_id; own++)
        if (Originals::function(of, own->function_id) || front.added(own->function_id)) {
            taken[own->function_id] = true;
            made[n++] = *own;
        }
    for (int id = 1; id < Originals::MOST_IDS && n + 1 < MOST_FUNCTIONS; id++)
        if (AnyFunction its = Originals::function(of, id); its && !taken[id] && front.handed_on(id))
            made[n++] = {id, its};
    return made;
}

}  // namespace

PublicKeys::~PublicKeys() {
    for (cst_pk *operation : operations_) cst_pk_free(operation);
    originals_.unload();
}

bool PublicKeys::start(cst_ctx *context, const void *one_of_its) {
    const Speculation speculation(errors_);
    if (!libcrypto_.find(one_of_its) || !originals_.load(libcrypto_)) return false;
    for (size_t id = 0; id < PK_IDS; id++) {
        const int error = guarded([&]() -> int {
            if (ROWS[id].kernels && !has_lanes(context->engine, ROWS[id].kernels)) return CST_ERR_UNSUPPORTED;
            return cst_pk_new(context, ROWS[id].operation, nullptr, &operations_[id]);
        });
        if (error && error != CST_ERR_UNSUPPORTED) return false;
    }
    const auto offer = [&](OSSL_ALGORITHM *list, Algorithm first, const Front *fronts, size_t n) {
        for (size_t i = 0; i < n; i++) {
            const auto of = Algorithm(first + i);
            const OSSL_ALGORITHM &its = originals_.algorithm(of);
            list[i] = {its.algorithm_names, "provider=cryptostitch", table(of, fronts[i]), its.algorithm_description};
        }
    };
    offer(keys_, X25519_KEYS, KEY_MANAGEMENT, 4);
    offer(exchanges_, X25519_EXCHANGE, EXCHANGE, 2);
    offer(signatures_, ED25519_SIGNATURE, SIGNATURE, 3);
    return true;
}

bool PublicKeys::capabilities(const char *name, OSSL_CALLBACK *each, void *argument) const {
    struct Wanted {
        OSSL_CALLBACK *each;
        void *argument;
    } wanted = {each, argument};
    if (!keys_[0].algorithm_names || strcasecmp(name, "TLS-GROUP")) return true;
    const auto filter = [](const OSSL_PARAM params[], void *its) {
        const OSSL_PARAM *const keys = find(params, OSSL_CAPABILITY_TLS_GROUP_ALG);
        const auto is = [&](const char *algorithm) {
            return keys && keys->data && !strcasecmp(static_cast<const char *>(keys->data), algorithm);
        };
        const Wanted &to = *static_cast<Wanted *>(its);
        return is("X25519") || is("EC") ? to.each(params, to.argument) : 1;
    };
    return originals_.capabilities(name, filter, &wanted);
}

bool PublicKeys::prepare(const uint8_t *der, size_t bytes, cst_pk_key **key) const {
    *key = nullptr;
    if (!operations_[PK_RSA_PRIVATE]) return true;
    int error = CST_ERR_MEMORY;
    Stack::run([&] { error = cst_pk_key_new(operations_[PK_RSA_PRIVATE], der, bytes, key); });
    if (error) *key = nullptr;
    return error != CST_ERR_MEMORY;
}

}  // namespace cst::ossl
