// Ed25519, ECDSA and RSA in front of the signatures of `default`: the functions that libcrypto calls.
#include "signers.hpp"

namespace cst::ossl {
namespace {

// OpenSSL 3.0's headers lack these functions of 3.4 and later.
constexpr int QUERY_KEY_TYPES = 26, SIGN_MESSAGE_INIT = 27, SIGN_MESSAGE_UPDATE = 28, SIGN_MESSAGE_FINAL = 29,
              VERIFY_MESSAGE_INIT = 30, VERIFY_MESSAGE_UPDATE = 31, VERIFY_MESSAGE_FINAL = 32;

template <typename Signer>
struct Signature {
    static constexpr Algorithm of = Signer::ORIGINAL;

    // The original looks for digests in a library context of its own, where properties of the caller's mean nothing.
    static void *make(void *provider, const char *) {
        void *const its = original<OSSL_FUNC_signature_newctx_fn>(of, OSSL_FUNC_SIGNATURE_NEWCTX)(
            original_provider(provider), nullptr);
        return make_context<of, OSSL_FUNC_SIGNATURE_FREECTX>(*static_cast<Provider *>(provider), its);
    }
    // begin: calls the original, which lets go of the key that it had.
    template <typename Begin>
    static int begun(void *context, void *key, const OSSL_PARAM params[], Begin begin) {
        OperationContext &its = *from(context);
        if (its.key) Signer::release(its.key);
        const int done = begin(its.original);
        if (key) its.key = key;
        if (done <= 0) its.key = nullptr;
        if (its.key) Signer::hold(its.key);
        its.message = false;
        its.plain = !has_any(params);
        its.updated = false;
        return done;
    }
    template <int id>
    static int begin(void *context, void *key, const OSSL_PARAM params[]) {
        return begun(context, key, params,
                     [&](void *its) { return original<OSSL_FUNC_signature_sign_init_fn>(of, id)(its, key, params); });
    }
    template <int id>
    static int begin_message(void *context, void *key, const OSSL_PARAM params[]) {
        const int done = begin<id>(context, key, params);
        from(context)->message = true;
        return done;
    }
    template <int id>
    static int begin_digest(void *context, const char *digest, void *key, const OSSL_PARAM params[]) {
        return begun(context, key, params, [&](void *its) {
            return original<OSSL_FUNC_signature_digest_sign_init_fn>(of, id)(its, digest, key, params);
        });
    }
    static void free(void *context) {
        if (context && from(context)->key) Signer::release(from(context)->key);
        free_context<of, OSSL_FUNC_SIGNATURE_FREECTX>(context);
    }
    static void *copy(void *context) {
        void *const made = copy_context<of, OSSL_FUNC_SIGNATURE_FREECTX, OSSL_FUNC_SIGNATURE_DUPCTX>(context);
        if (made && from(made)->key) Signer::hold(from(made)->key);
        return made;
    }

    static int sign(void *context, unsigned char *signature, size_t *bytes, size_t room, const unsigned char *digest,
                    size_t digest_bytes) {
        const OperationContext &its = *from(context);
        if (signature && !its.updated &&
            Signer::sign(its, {digest, digest_bytes, !its.message}, signature, bytes, room))
            return 1;
        return original<OSSL_FUNC_signature_sign_fn>(of, OSSL_FUNC_SIGNATURE_SIGN)(original_of(context), signature,
                                                                                   bytes, room, digest, digest_bytes);
    }
    static int verify(void *context, const unsigned char *signature, size_t bytes, const unsigned char *digest,
                      size_t digest_bytes) {
        const OperationContext &its = *from(context);
        if (!its.updated && Signer::verify(its, {digest, digest_bytes, !its.message}, signature, bytes)) return 1;
        return original<OSSL_FUNC_signature_verify_fn>(of, OSSL_FUNC_SIGNATURE_VERIFY)(original_of(context), signature,
                                                                                       bytes, digest, digest_bytes);
    }

    // Messages in one piece. An original without a function for them has those for many pieces; it hashes what a burst
    // has signed, too, because more may follow.
    static int digest_sign(void *context, unsigned char *signature, size_t *bytes, size_t room,
                           const unsigned char *message, size_t message_bytes) {
        OperationContext &its = *from(context);
        const bool signs =
            signature && !its.updated && Signer::sign(its, {message, message_bytes, false}, signature, bytes, room);
        if (auto *whole = original<OSSL_FUNC_signature_digest_sign_fn>(of, OSSL_FUNC_SIGNATURE_DIGEST_SIGN))
            return signs ? 1 : whole(its.original, signature, bytes, room, message, message_bytes);
        const auto end = [&](void *at) {
            return original<OSSL_FUNC_signature_digest_sign_final_fn>(of, OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL)(
                at, signature, bytes, room);
        };
        if (!signature) return end(its.original);
        if (!update<OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE>(context, message, message_bytes)) return 0;
        return signs ? 1 : end_copy(its, end);
    }
    static int digest_verify(void *context, const unsigned char *signature, size_t bytes, const unsigned char *message,
                             size_t message_bytes) {
        OperationContext &its = *from(context);
        const bool right = !its.updated && Signer::verify(its, {message, message_bytes, false}, signature, bytes);
        if (auto *whole = original<OSSL_FUNC_signature_digest_verify_fn>(of, OSSL_FUNC_SIGNATURE_DIGEST_VERIFY))
            return right ? 1 : whole(its.original, signature, bytes, message, message_bytes);
        if (!update<OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE>(context, message, message_bytes)) return 0;
        if (right) return 1;
        return end_copy(its, [&](void *at) {
            return original<OSSL_FUNC_signature_digest_verify_final_fn>(of, OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL)(
                at, signature, bytes);
        });
    }
    // A message may go on behind a signature (EVP_DigestSignFinal(3)), so that what ends is a copy.
    template <typename End>
    static int end_copy(const OperationContext &its, End end) {
        void *const copy = original<OSSL_FUNC_signature_dupctx_fn>(of, OSSL_FUNC_SIGNATURE_DUPCTX)(its.original);
        if (!copy) return 0;
        const int done = end(copy);
        free_original<of, OSSL_FUNC_SIGNATURE_FREECTX>(copy);
        return done;
    }
    template <int id>
    static int update(void *context, const unsigned char *data, size_t bytes) {
        from(context)->updated = true;
        return original<OSSL_FUNC_signature_digest_sign_update_fn>(of, id)(original_of(context), data, bytes);
    }

    template <int id>
    static int set_params(void *context, const OSSL_PARAM params[]) {
        if (id == OSSL_FUNC_SIGNATURE_SET_CTX_MD_PARAMS) from(context)->updated = true;
        else from(context)->plain &= !has_any(params);
        return original<OSSL_FUNC_signature_set_ctx_params_fn>(of, id)(original_of(context), params);
    }

    template <int id, typename Type>
    static constexpr AnyFunction handed_on() {
        return AnyFunction(HandedOn<of, id, Type>::call);
    }
    static inline const OSSL_DISPATCH OWN[] = {
        {OSSL_FUNC_SIGNATURE_NEWCTX, AnyFunction(make)},
        {OSSL_FUNC_SIGNATURE_FREECTX, AnyFunction(free)},
        {OSSL_FUNC_SIGNATURE_DUPCTX, AnyFunction(copy)},
        {OSSL_FUNC_SIGNATURE_SIGN_INIT, AnyFunction(begin<OSSL_FUNC_SIGNATURE_SIGN_INIT>)},
        {OSSL_FUNC_SIGNATURE_SIGN, AnyFunction(sign)},
        {OSSL_FUNC_SIGNATURE_VERIFY_INIT, AnyFunction(begin<OSSL_FUNC_SIGNATURE_VERIFY_INIT>)},
        {OSSL_FUNC_SIGNATURE_VERIFY, AnyFunction(verify)},
        {OSSL_FUNC_SIGNATURE_VERIFY_RECOVER_INIT, AnyFunction(begin<OSSL_FUNC_SIGNATURE_VERIFY_RECOVER_INIT>)},
        {OSSL_FUNC_SIGNATURE_VERIFY_RECOVER,
         handed_on<OSSL_FUNC_SIGNATURE_VERIFY_RECOVER, OSSL_FUNC_signature_verify_recover_fn>()},
        {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, AnyFunction(begin_digest<OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT>)},
        {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, AnyFunction(update<OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE>)},
        {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL,
         handed_on<OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, OSSL_FUNC_signature_digest_sign_final_fn>()},
        {OSSL_FUNC_SIGNATURE_DIGEST_SIGN, AnyFunction(digest_sign)},
        {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, AnyFunction(begin_digest<OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT>)},
        {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, AnyFunction(update<OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE>)},
        {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL,
         handed_on<OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL, OSSL_FUNC_signature_digest_verify_final_fn>()},
        {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY, AnyFunction(digest_verify)},
        {SIGN_MESSAGE_INIT, AnyFunction(begin_message<SIGN_MESSAGE_INIT>)},
        {SIGN_MESSAGE_UPDATE, AnyFunction(update<SIGN_MESSAGE_UPDATE>)},
        {SIGN_MESSAGE_FINAL, handed_on<SIGN_MESSAGE_FINAL, OSSL_FUNC_signature_digest_sign_final_fn>()},
        {VERIFY_MESSAGE_INIT, AnyFunction(begin_message<VERIFY_MESSAGE_INIT>)},
        {VERIFY_MESSAGE_UPDATE, AnyFunction(update<VERIFY_MESSAGE_UPDATE>)},
        {VERIFY_MESSAGE_FINAL, handed_on<VERIFY_MESSAGE_FINAL, int(void *)>()},
        {OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS,
         handed_on<OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, OSSL_FUNC_signature_get_ctx_params_fn>()},
        {OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, AnyFunction(list_of<of, OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS>)},
        {OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, AnyFunction(set_params<OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS>)},
        {OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, AnyFunction(list_of<of, OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS>)},
        {OSSL_FUNC_SIGNATURE_GET_CTX_MD_PARAMS,
         handed_on<OSSL_FUNC_SIGNATURE_GET_CTX_MD_PARAMS, OSSL_FUNC_signature_get_ctx_md_params_fn>()},
        {OSSL_FUNC_SIGNATURE_GETTABLE_CTX_MD_PARAMS,
         handed_on<OSSL_FUNC_SIGNATURE_GETTABLE_CTX_MD_PARAMS, OSSL_FUNC_signature_gettable_ctx_md_params_fn>()},
        {OSSL_FUNC_SIGNATURE_SET_CTX_MD_PARAMS, AnyFunction(set_params<OSSL_FUNC_SIGNATURE_SET_CTX_MD_PARAMS>)},
        {OSSL_FUNC_SIGNATURE_SETTABLE_CTX_MD_PARAMS,
         handed_on<OSSL_FUNC_SIGNATURE_SETTABLE_CTX_MD_PARAMS, OSSL_FUNC_signature_settable_ctx_md_params_fn>()},
        {0, nullptr}};
};

// Messages in one piece are worth a function of their own, which libcrypto prefers to those for many pieces.
bool added(int id) { return id == OSSL_FUNC_SIGNATURE_DIGEST_SIGN || id == OSSL_FUNC_SIGNATURE_DIGEST_VERIFY; }
bool handed_on(int id) { return id == QUERY_KEY_TYPES; }

}  // namespace

const Front SIGNATURE[3] = {{Signature<Ed25519Signer>::OWN, added, handed_on},
                            {Signature<EcdsaSigner>::OWN, added, handed_on},
                            {Signature<RsaSigner>::OWN, added, handed_on}};

}  // namespace cst::ossl
