// The public-key algorithms of `default`, in front of which the provider puts its own: keys and contexts are those of
// `default`, so that whatever is not done in bursts is done by its code.
#pragma once

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include <cstddef>

#include "libcrypto.hpp"

namespace cst::ossl {

enum Algorithm {
    X25519_KEYS,
    ED25519_KEYS,
    EC_KEYS,
    RSA_KEYS,
    X25519_EXCHANGE,
    ECDH_EXCHANGE,
    ED25519_SIGNATURE,
    ECDSA_SIGNATURE,
    RSA_SIGNATURE,
    ALGORITHMS
};

typedef void (*AnyFunction)();

// The functions belong to the process; what they need as the context of their provider, to an object. Several threads
// may use one.
class Originals {
public:
    // Loads `default` into a library context of its own. Returns false, without a trace, where something is missing.
    bool load(const Libcrypto &libcrypto);
    void unload();

    // Returns the provider context that functions of `default` take.
    void *context() const { return context_; }
    // As OSSL_FUNC_provider_get_capabilities.
    bool capabilities(const char *name, OSSL_CALLBACK *each, void *argument) const {
        return libcrypto_->capabilities(provider_, name, each, argument);
    }
    // Names and description.
    const OSSL_ALGORITHM &algorithm(Algorithm of) const { return *algorithm_[of]; }

    // NULL: there is none.
    static AnyFunction function(Algorithm of, int id) { return functions[of][id]; }
    static constexpr int MOST_IDS = 64;

private:
    bool take(Algorithm of, int operation, const char *name);

    static AnyFunction functions[ALGORITHMS][MOST_IDS];

    const Libcrypto *libcrypto_ = nullptr;
    OSSL_LIB_CTX *library_context_ = nullptr;
    OSSL_PROVIDER *provider_ = nullptr;
    void *context_ = nullptr;
    const OSSL_ALGORITHM *algorithm_[ALGORITHMS] = {};
};

// A function of an original, by its type in core_dispatch.h.
template <typename Type>
Type *original(Algorithm of, int id) {
    return reinterpret_cast<Type *>(Originals::function(of, id));
}

}  // namespace cst::ossl
