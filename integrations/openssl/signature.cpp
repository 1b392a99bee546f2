// Ed25519, ECDSA and RSA in front of the signatures of `default`: the functions that libcrypto calls.
#include "signers.hpp"

namespace cst::ossl {
namespace {

template <typename Signer>
struct Signature {
    static constexpr Algorithm of = Signer::ORIGINAL;

    // The original looks for digests in a library context of its own, where properties of the caller's mean nothing.
    static void *make(void *provider, const char *) {
        void *const its = original<OSSL_FUNC_signature_newctx_fn>(of, OSSL_FUNC_SIGNATURE_NEWCTX)(
            original_provider(provider), nullptr);
        return make_context<of, OSSL_FUNC_SIGNATURE_FREECTX>(*static_cast<Provider *>(provider), its);
    }
    static int begun(void *context, int done, void *key, const OSSL_PARAM params[]) {
        OperationContext &its = *from(context);
        if (key) its.key = key;
        if (done <= 0) its.key = nullptr;
        its.plain = !has_any(params);
        its.updated = false;
        return done;
    }
    template <int id>
    static int begin(void *context, void *key, const OSSL_PARAM params[]) {
        return begun(context, original<OSSL_FUNC_signature_sign_init_fn>(of, id)(original_of(context), key, params),
                     key, params);
    }
    template <int id>
    static int begin_digest(void *context, const char *digest, void *key, const OSSL_PARAM params[]) {
        const int done =
            original<OSSL_FUNC_signature_digest_sign_init_fn>(of, id)(original_of(context), digest, key, params);
        return begun(context, done, key, params);
    }

    static int sign(void *context, unsigned char *signature, size_t *bytes, size_t room, const unsigned char *digest,
                    size_t digest_bytes) {
        if (signature && Signer::sign(*from(context), {digest, digest_bytes, true}, signature, bytes, room)) return 1;
        return original<OSSL_FUNC_signature_sign_fn>(of, OSSL_FUNC_SIGNATURE_SIGN)(original_of(context), signature,
                                                                                   bytes, room, digest, digest_bytes);
    }
    static int verify(void *context, const unsigned char *signature, size_t bytes, const unsigned char *digest,
                      size_t digest_bytes) {
        if (Signer::verify(*from(context), {digest, digest_bytes, true}, signature, bytes)) return 1;
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
        {OSSL_FUNC_SIGNATURE_FREECTX, AnyFunction(free_context<of, OSSL_FUNC_SIGNATURE_FREECTX>)},
        {OSSL_FUNC_SIGNATURE_DUPCTX,
         AnyFunction(copy_context<of, OSSL_FUNC_SIGNATURE_FREECTX, OSSL_FUNC_SIGNATURE_DUPCTX>)},
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
}  // namespace

const Front SIGNATURE[3] = {{Signature<Ed25519Signer>::OWN, added, none},
                            {Signature<EcdsaSigner>::OWN, added, none},
                            {Signature<RsaSigner>::OWN, added, none}};

}  // namespace cst::ossl
