// X25519 and ECDH on P-256 in bursts, in front of the key exchanges of `default`.
#include <openssl/core_names.h>

#include "key_material.hpp"
#include "operation.hpp"
#include "suite/secret.hpp"

namespace cst::ossl {
namespace {

// Holds the keys that a job reads, and the secret that it writes.
struct Agreement {
    ~Agreement() { wipe(this, sizeof(*this)); }
    uint8_t secret[CURVE_BYTES], peer[P256_POINT], result[CURVE_BYTES];
    size_t peer_bytes;
};

bool take_keys(const OperationContext &context, PkId id, Agreement *its) {
    const ErrorQueue &errors = context.errors();
    if (id == PK_ECDH_P256)
        return is_p256(errors, context.key) && is_p256(errors, context.peer) &&
               get_p256_secret(errors, context.key, its->secret) &&
               get_p256_public(errors, context.peer, its->peer, &its->peer_bytes);
    its->peer_bytes = CURVE_BYTES;
    return get_octets(errors, X25519_KEYS, context.key, OSSL_PKEY_PARAM_PRIV_KEY, its->secret) &&
           get_octets(errors, X25519_KEYS, context.peer, OSSL_PKEY_PARAM_PUB_KEY, its->peer);
}

bool agree(const OperationContext &context, PkId id, uint8_t *secret) {
    Agreement its;
    if (!take_keys(context, id, &its)) return false;
    cst_pk_job job = {};
    job.key = its.secret;
    job.key_len = CURVE_BYTES;
    job.in = its.peer;
    job.in_len = its.peer_bytes;
    job.out = its.result;
    job.out_cap = CURVE_BYTES;
    if (!context.public_keys().run(id, &job)) return false;
    memcpy(secret, its.result, CURVE_BYTES);
    return true;
}

template <Algorithm of, PkId id>
struct Exchange {
    static void *make(void *provider) {
        void *const its =
            original<OSSL_FUNC_keyexch_newctx_fn>(of, OSSL_FUNC_KEYEXCH_NEWCTX)(original_provider(provider));
        return make_context<of, OSSL_FUNC_KEYEXCH_FREECTX>(*static_cast<Provider *>(provider), its);
    }
    static int begin(void *context, void *key, const OSSL_PARAM params[]) {
        const int done =
            original<OSSL_FUNC_keyexch_init_fn>(of, OSSL_FUNC_KEYEXCH_INIT)(original_of(context), key, params);
        from(context)->key = done > 0 ? key : nullptr;
        from(context)->peer = nullptr;
        from(context)->plain = !has_any(params);
        return done;
    }
    static int set_peer(void *context, void *key) {
        const int done =
            original<OSSL_FUNC_keyexch_set_peer_fn>(of, OSSL_FUNC_KEYEXCH_SET_PEER)(original_of(context), key);
        from(context)->peer = done > 0 ? key : nullptr;
        return done;
    }
    static int set_params(void *context, const OSSL_PARAM params[]) {
        from(context)->plain &= !has_any(params);
        return original<OSSL_FUNC_keyexch_set_ctx_params_fn>(of, OSSL_FUNC_KEYEXCH_SET_CTX_PARAMS)(original_of(context),
                                                                                                   params);
    }
    static int derive(void *context, unsigned char *secret, size_t *bytes, size_t room) {
        const OperationContext &its = *from(context);
        if (secret && room >= CURVE_BYTES && its.plain && its.public_keys().can_run(id) && agree(its, id, secret)) {
            *bytes = CURVE_BYTES;
            return 1;
        }
        return original<OSSL_FUNC_keyexch_derive_fn>(of, OSSL_FUNC_KEYEXCH_DERIVE)(original_of(context), secret, bytes,
                                                                                   room);
    }

    static inline const OSSL_DISPATCH OWN[] = {
        {OSSL_FUNC_KEYEXCH_NEWCTX, AnyFunction(make)},
        {OSSL_FUNC_KEYEXCH_INIT, AnyFunction(begin)},
        {OSSL_FUNC_KEYEXCH_DERIVE, AnyFunction(derive)},
        {OSSL_FUNC_KEYEXCH_SET_PEER, AnyFunction(set_peer)},
        {OSSL_FUNC_KEYEXCH_FREECTX, AnyFunction(free_context<of, OSSL_FUNC_KEYEXCH_FREECTX>)},
        {OSSL_FUNC_KEYEXCH_DUPCTX, AnyFunction(copy_context<of, OSSL_FUNC_KEYEXCH_FREECTX, OSSL_FUNC_KEYEXCH_DUPCTX>)},
        {OSSL_FUNC_KEYEXCH_SET_CTX_PARAMS, AnyFunction(set_params)},
        {OSSL_FUNC_KEYEXCH_SETTABLE_CTX_PARAMS, AnyFunction(list_of<of, OSSL_FUNC_KEYEXCH_SETTABLE_CTX_PARAMS>)},
        {OSSL_FUNC_KEYEXCH_GET_CTX_PARAMS,
         AnyFunction(HandedOn<of, OSSL_FUNC_KEYEXCH_GET_CTX_PARAMS, OSSL_FUNC_keyexch_get_ctx_params_fn>::call)},
        {OSSL_FUNC_KEYEXCH_GETTABLE_CTX_PARAMS, AnyFunction(list_of<of, OSSL_FUNC_KEYEXCH_GETTABLE_CTX_PARAMS>)},
        {0, nullptr}};
};

}  // namespace

const Front EXCHANGE[2] = {{Exchange<X25519_EXCHANGE, PK_X25519>::OWN, none, none},
                           {Exchange<ECDH_EXCHANGE, PK_ECDH_P256>::OWN, none, none}};

}  // namespace cst::ossl
