// Keys are those of `default`: only where their functions take its provider's context do others stand in front. Key
// pairs of X25519, which every handshake of TLS makes, come in bursts.
#include <openssl/core_names.h>
#include <openssl/params.h>

#include "key_material.hpp"
#include "operation.hpp"
#include "suite/secret.hpp"

namespace cst::ossl {
namespace {

// OpenSSL 3.0's headers lack these functions of later versions.
constexpr int GEN_GET_PARAMS = 15, GEN_GETTABLE_PARAMS = 16, IMPORT_TYPES_EX = 45, EXPORT_TYPES_EX = 46;

constexpr uint8_t BASE_POINT[CURVE_BYTES] = {9};  // RFC 7748, 4.1

// A new key pair of X25519 (RFC 7748, 5). NULL: none was made.
void *agreement_key(const OperationContext &generation) {
    struct Pair {
        ~Pair() { wipe(this, sizeof(*this)); }
        uint8_t secret[CURVE_BYTES], own[CURVE_BYTES];
    } pair;
    if (!generation.public_keys().can_run(PK_X25519) || !random_bytes(pair.secret, CURVE_BYTES)) return nullptr;
    pair.secret[0] &= 248;  // as encodings of `default`'s keys have it
    pair.secret[31] = uint8_t((pair.secret[31] & 127) | 64);
    cst_pk_job job = {};
    job.key = pair.secret;
    job.key_len = CURVE_BYTES;
    job.in = BASE_POINT;  // not the operation for public keys: this way a burst has key pairs and agreements
    job.in_len = CURVE_BYTES;
    job.out = pair.own;
    job.out_cap = CURVE_BYTES;
    if (!generation.public_keys().run(PK_X25519, &job)) return nullptr;
    const OSSL_PARAM params[] = {OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, pair.secret, CURVE_BYTES),
                                 OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, pair.own, CURVE_BYTES),
                                 OSSL_PARAM_END};
    const Speculation speculation(generation.errors());
    void *const key = original<OSSL_FUNC_keymgmt_new_fn>(
        X25519_KEYS, OSSL_FUNC_KEYMGMT_NEW)(generation.public_keys().originals().context());
    if (key && original<OSSL_FUNC_keymgmt_import_fn>(X25519_KEYS, OSSL_FUNC_KEYMGMT_IMPORT)(
                   key, OSSL_KEYMGMT_SELECT_KEYPAIR, params))
        return key;
    original<OSSL_FUNC_keymgmt_free_fn>(X25519_KEYS, OSSL_FUNC_KEYMGMT_FREE)(key);
    return nullptr;
}

template <Algorithm of>
struct Keys {
    static void *make(void *provider) {
        return original<OSSL_FUNC_keymgmt_new_fn>(of, OSSL_FUNC_KEYMGMT_NEW)(original_provider(provider));
    }
    static void *begin_generation(void *provider, int selection, const OSSL_PARAM params[]) {
        void *const its = original<OSSL_FUNC_keymgmt_gen_init_fn>(of, OSSL_FUNC_KEYMGMT_GEN_INIT)(
            original_provider(provider), selection, params);
        OperationContext *const made =
            make_context<of, OSSL_FUNC_KEYMGMT_GEN_CLEANUP>(*static_cast<Provider *>(provider), its);
        if (made) made->plain = !has_any(params) && selection & OSSL_KEYMGMT_SELECT_KEYPAIR;
        return made;
    }
    static int set_for_generation(void *generation, const OSSL_PARAM params[]) {
        from(generation)->plain &= !has_any(params);
        return original<OSSL_FUNC_keymgmt_gen_set_params_fn>(of, OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS)(
            original_of(generation), params);
    }
    static void *generate(void *generation, OSSL_CALLBACK *each, void *argument) {
        const OperationContext &its = *from(generation);
        void *const key = of == X25519_KEYS && its.plain ? agreement_key(its) : nullptr;
        return key ? key : original<OSSL_FUNC_keymgmt_gen_fn>(of, OSSL_FUNC_KEYMGMT_GEN)(its.original, each, argument);
    }
    template <int id>
    static const OSSL_PARAM *list(void *provider) {
        return original<OSSL_FUNC_keymgmt_gettable_params_fn>(of, id)(original_provider(provider));
    }
    template <int id>
    static const OSSL_PARAM *types(void *provider, int selection) {
        return original<const OSSL_PARAM *(void *, int)>(of, id)(original_provider(provider), selection);
    }
    // RSA has no domain parameters. An export of these alone must fail: with an empty one, the encoder of `default`
    // that prints parameters makes a key without a modulus, which it then reads through NULL (EVP_PKEY_print_params).
    static int export_key(void *key, int selection, OSSL_CALLBACK *each, void *argument) {
        if (of == RSA_KEYS && !(selection & OSSL_KEYMGMT_SELECT_KEYPAIR)) return 0;
        return original<OSSL_FUNC_keymgmt_export_fn>(of, OSSL_FUNC_KEYMGMT_EXPORT)(key, selection, each, argument);
    }
    static void free(void *key) {
        if (of == RSA_KEYS) forget_rsa_key(key);
        original<OSSL_FUNC_keymgmt_free_fn>(of, OSSL_FUNC_KEYMGMT_FREE)(key);
    }

    static inline const OSSL_DISPATCH OWN[] = {
        {OSSL_FUNC_KEYMGMT_NEW, AnyFunction(make)},
        {OSSL_FUNC_KEYMGMT_GEN_INIT, AnyFunction(begin_generation)},
        {OSSL_FUNC_KEYMGMT_GEN_SET_TEMPLATE,
         AnyFunction(HandedOn<of, OSSL_FUNC_KEYMGMT_GEN_SET_TEMPLATE, OSSL_FUNC_keymgmt_gen_set_template_fn>::call)},
        {OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS, AnyFunction(set_for_generation)},
        {OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, AnyFunction(list_of<of, OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS>)},
        {GEN_GET_PARAMS, AnyFunction(HandedOn<of, GEN_GET_PARAMS, OSSL_FUNC_keyexch_get_ctx_params_fn>::call)},
        {GEN_GETTABLE_PARAMS, AnyFunction(list_of<of, GEN_GETTABLE_PARAMS>)},
        {OSSL_FUNC_KEYMGMT_GEN, AnyFunction(generate)},
        {OSSL_FUNC_KEYMGMT_GEN_CLEANUP, AnyFunction(free_context<of, OSSL_FUNC_KEYMGMT_GEN_CLEANUP>)},
        {OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, AnyFunction(list<OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS>)},
        {OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS, AnyFunction(list<OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS>)},
        {IMPORT_TYPES_EX, AnyFunction(types<IMPORT_TYPES_EX>)},
        {EXPORT_TYPES_EX, AnyFunction(types<EXPORT_TYPES_EX>)},
        {OSSL_FUNC_KEYMGMT_EXPORT, AnyFunction(export_key)},
        {OSSL_FUNC_KEYMGMT_FREE, AnyFunction(free)},
        {0, nullptr}};
};

bool handed_on(int id) {
    switch (id) {
        case OSSL_FUNC_KEYMGMT_LOAD:
        case OSSL_FUNC_KEYMGMT_GET_PARAMS:
        case OSSL_FUNC_KEYMGMT_SET_PARAMS:
        case OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME:
        case OSSL_FUNC_KEYMGMT_HAS:
        case OSSL_FUNC_KEYMGMT_VALIDATE:
        case OSSL_FUNC_KEYMGMT_MATCH:
        case OSSL_FUNC_KEYMGMT_IMPORT:
        case OSSL_FUNC_KEYMGMT_IMPORT_TYPES:
        case OSSL_FUNC_KEYMGMT_EXPORT_TYPES:
        case OSSL_FUNC_KEYMGMT_DUP: return true;
        default: return false;
    }
}

}  // namespace

const Front KEY_MANAGEMENT[4] = {{Keys<X25519_KEYS>::OWN, none, handed_on},
                                 {Keys<ED25519_KEYS>::OWN, none, handed_on},
                                 {Keys<EC_KEYS>::OWN, none, handed_on},
                                 {Keys<RSA_KEYS>::OWN, none, handed_on}};

}  // namespace cst::ossl
