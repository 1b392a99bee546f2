// The context of a public-key operation: it owns the original's context, and keeps the keys that a job reads.
#pragma once

#include <new>

#include "provider.hpp"
#include "public_keys.hpp"

namespace cst::ossl {

struct OperationContext {
    const Provider &provider;
    void *original;
    // Keys of `default`, of which the original's context has a reference.
    void *key = nullptr, *peer = nullptr;
    bool plain = false;    // since it began, no parameter was set
    bool updated = false;  // since it began, a part of a message was hashed
    bool message = false;  // what is signed is a message, and not its digest

    const PublicKeys &public_keys() const { return provider.public_keys(); }
    const ErrorQueue &errors() const { return public_keys().errors(); }
};

inline OperationContext *from(void *context) { return static_cast<OperationContext *>(context); }
inline void *original_of(void *context) { return context ? from(context)->original : nullptr; }
inline void *original_provider(void *provider) {
    return static_cast<const Provider *>(provider)->public_keys().originals().context();
}
inline bool has_any(const OSSL_PARAM params[]) { return params && params->key; }

// Frees an original's context; free_id: of its function for that.
template <Algorithm of, int free_id>
void free_original(void *its) {
    original<void(void *)>(of, free_id)(its);
}
// Makes the context around that of the original, which is freed if there is no memory, and may be NULL. like: NULL, or
// the one of which it is a copy.
template <Algorithm of, int free_id>
OperationContext *make_context(const Provider &provider, void *its, const OperationContext *like = nullptr) {
    if (!its) return nullptr;
    void *const memory = provider.allocate(sizeof(OperationContext));
    if (!memory) {
        free_original<of, free_id>(its);
        return nullptr;
    }
    auto *const made = like ? new (memory) OperationContext(*like) : new (memory) OperationContext{provider, its};
    made->original = its;
    return made;
}
template <Algorithm of, int free_id, int copy_id>
void *copy_context(void *context) {
    void *const its = original<void *(void *)>(of, copy_id)(original_of(context));
    return make_context<of, free_id>(from(context)->provider, its, from(context));
}
template <Algorithm of, int free_id>
void free_context(void *context) {
    if (!context) return;
    free_original<of, free_id>(original_of(context));
    from(context)->provider.release(context, sizeof(OperationContext));
}

// A function that is handed on, with the original's context instead of the own one.
template <Algorithm of, int id, typename Type>
struct HandedOn;
template <Algorithm of, int id, typename Result, typename... Arguments>
struct HandedOn<of, id, Result(void *, Arguments...)> {
    static Result call(void *context, Arguments... arguments) {
        return original<Result(void *, Arguments...)>(of, id)(original_of(context), arguments...);
    }
};
// Lists of parameters, which are asked for with the provider's context, too.
template <Algorithm of, int id>
const OSSL_PARAM *list_of(void *context, void *provider) {
    return original<const OSSL_PARAM *(void *, void *)>(of, id)(original_of(context), original_provider(provider));
}

}  // namespace cst::ossl
