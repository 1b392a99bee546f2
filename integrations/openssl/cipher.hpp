// The common part of all contexts of ciphers, and the functions that libcrypto calls for them.
#pragma once

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <cstring>
#include <new>

#include "api/arguments.hpp"
#include "params.hpp"
#include "provider.hpp"
#include "executors/copy.hpp"
#include "stack.hpp"
#include "suite/key.hpp"

namespace cst::ossl {

// A parameter of OpenSSL 3.6, which the headers of earlier versions lack.
constexpr char ENCRYPT_THEN_MAC[] = "encrypt-then-mac";

constexpr size_t BLOCK = 16, TLS_HEAD = 13;

struct CipherInfo {
    SuiteId suite;
    unsigned mode;  // EVP_CIPH_..._MODE
    size_t key_bytes, block_bytes, iv_bytes;
    bool aead, own_iv, multiblock, etm;  // "aead", "custom-iv", "tls-multi", "encrypt-then-mac"
};

bool cipher_params(const CipherInfo &info, OSSL_PARAM params[]);
const OSSL_PARAM *gettable_cipher_params(void *provider);

// A key of the library, in memory of its own.
class KeyMemory {
public:
    KeyMemory(const Provider &provider, SuiteId suite);
    KeyMemory(const KeyMemory &other);
    KeyMemory &operator=(const KeyMemory &) = delete;
    ~KeyMemory();

    bool allocated() const { return memory_; }
    // CST_OK or an error of the library.
    int set(const void *key, size_t key_bytes, const void *mac_key = nullptr, size_t mac_key_bytes = 0);
    void forget() { set_ = false; }
    const cst_key *get() const { return set_ ? static_cast<const cst_key *>(aligned()) : nullptr; }

private:
    void *aligned() const;
    size_t room() const { return cst_key_bytes(provider_.suite(suite_)) + CST_KEY_ALIGN; }

    const Provider &provider_;
    const SuiteId suite_;
    void *memory_;
    bool set_ = false;
};

// Whether one of them begins inside of the other, but not where it begins.
bool overlap_partially(const void *in, const void *out, size_t bytes);

// Base class of all contexts.
class Context {
public:
    Context(const Provider &provider, const CipherInfo &info)
        : provider_(provider), info_(info), key_(provider, info.suite) {}
    const Provider &provider() const { return provider_; }
    bool allocated() const { return key_.allocated(); }
    void forget_key() { key_.forget(); }

protected:
    bool raise(Reason reason) const { return provider_.raise(reason); }
    // Opening ends without a tag to compare with. Always false.
    bool no_tag() const { return provider_.openssl_is_from(4, 0) && raise(NO_TAG); }
    // There must be a key.
    const Key &key() const { return *reinterpret_cast<const Key *>(key_.get()); }
    const Suite *suite(SuiteId id) const { return reinterpret_cast<const Suite *>(provider_.suite(id)); }
    const Cpu &cpu() const { return suite(info_.suite)->engine->cpu(); }
    // Whether there is room and no overlap for as much output as input.
    bool ready(const uint8_t *out, size_t room, Bytes in) const;
    // Takes the header of a TLS record. Its length includes `beside` bytes besides the text (explicit IV, tag); the MAC
    // covers the length of the text alone. why: the error of a wrong length.
    bool take_tls_head(const OSSL_PARAM &param, size_t beside, uint8_t *head, Reason why) const;
    // Begins a message of a mode whose IV is a block, with the given IV (`first` from now on), or without one with the
    // last given IV. If there was none so far, the message continues the one before, which began with zeros.
    bool begin_with(Bytes iv, uint8_t *first, uint8_t *current) {
        if (iv.data) {
            if (iv.n != BLOCK) return raise(IV_LENGTH);
            memcpy(first, iv.data, BLOCK);
            has_first_iv_ = true;
        }
        if (has_first_iv_) memcpy(current, first, BLOCK);
        return true;
    }
    // Takes a key of the length that the cipher has.
    bool take_key(Bytes key);

    const Provider &provider_;
    const CipherInfo &info_;
    KeyMemory key_;
    bool seals_ = true;

private:
    bool has_first_iv_ = false;  // begin_with was given one
};

// Makes a call of the library for a context of class C, where the stack has room for it. Returns whether that was
// right.
template <typename C, typename Call>
int with_room(void *context, Call call) {
    C &its = *static_cast<C *>(context);
    bool right = false;
    return Stack::run([&] { right = call(its); }) ? right : its.provider().raise(NO_STACK);
}

// Makes such a call with a text of so many bytes, if no sum of lengths can overflow with it: libcrypto hands a negative
// `int` on as a length of nearly 2^64.
template <typename C, typename Call>
int with_text(void *context, size_t bytes, Call call) {
    return with_room<C>(context,
                        [&](C &its) { return bytes <= MOST_BYTES ? call(its) : its.provider().raise(DATA_LENGTH); });
}

// The functions of a cipher whose contexts are of class C. A context is zeros but for what its constructors set.
template <typename C, const CipherInfo &info>
struct Functions {
    static C *make(const Provider &provider, const C *other) {
        void *const memory = provider.allocate(sizeof(C));
        if (!memory) return nullptr;
        C *const made = other ? new (memory) C(*other) : new (memory) C(provider, info);
        if (made->allocated()) return made;
        destroy(provider, made);
        return nullptr;
    }
    static void destroy(const Provider &provider, C *context) {
        context->~C();
        provider.release(context, sizeof(C));
    }

    static C *from(void *context) { return static_cast<C *>(context); }
    static void *newctx(void *provider) { return make(*static_cast<Provider *>(provider), nullptr); }
    static void freectx(void *context) {
        if (context) destroy(from(context)->provider(), from(context));
    }
    static void *dupctx(void *context) { return context ? make(from(context)->provider(), from(context)) : nullptr; }
    template <bool seals>
    static int init(void *context, const uint8_t *key, size_t key_bytes, const uint8_t *iv, size_t iv_bytes,
                    const OSSL_PARAM params[]) {
        return with_room<C>(context, [&](C &its) {
            const bool right = its.init(seals, {key, key_bytes}, {iv, iv_bytes}) && its.set(params);
            if (!right) its.forget_key();  // no text goes on under the key before
            return right;
        });
    }
    static int update(void *context, uint8_t *out, size_t *written, size_t room, const uint8_t *in, size_t bytes) {
        *written = 0;
        return with_text<C>(context, bytes, [&](C &its) { return its.update(out, written, room, {in, bytes}); });
    }
    static int final(void *context, uint8_t *out, size_t *written, size_t room) {
        *written = 0;
        return with_room<C>(context, [&](C &its) { return its.final(out, written, room); });
    }
    static int cipher(void *context, uint8_t *out, size_t *written, size_t room, const uint8_t *in, size_t bytes) {
        *written = 0;
        return with_text<C>(context, bytes, [&](C &its) { return its.cipher(out, written, room, {in, bytes}); });
    }
    static int get_params(OSSL_PARAM params[]) { return cipher_params(info, params); }
    static int get_ctx_params(void *context, OSSL_PARAM params[]) {
        return with_room<C>(context, [&](C &its) { return its.get(params); });
    }
    static int set_ctx_params(void *context, const OSSL_PARAM params[]) {
        return with_room<C>(context, [&](C &its) { return its.set(params); });
    }
    static const OSSL_PARAM *gettable(void *, void *) { return C::GETTABLE; }
    static const OSSL_PARAM *settable(void *, void *) { return C::SETTABLE; }

    typedef void (*Any)();
    static inline const OSSL_DISPATCH table[] = {{OSSL_FUNC_CIPHER_NEWCTX, Any(newctx)},
                                                 {OSSL_FUNC_CIPHER_FREECTX, Any(freectx)},
                                                 {OSSL_FUNC_CIPHER_DUPCTX, Any(dupctx)},
                                                 {OSSL_FUNC_CIPHER_ENCRYPT_INIT, Any(init<true>)},
                                                 {OSSL_FUNC_CIPHER_DECRYPT_INIT, Any(init<false>)},
                                                 {OSSL_FUNC_CIPHER_UPDATE, Any(update)},
                                                 {OSSL_FUNC_CIPHER_FINAL, Any(final)},
                                                 {OSSL_FUNC_CIPHER_CIPHER, Any(cipher)},
                                                 {OSSL_FUNC_CIPHER_GET_PARAMS, Any(get_params)},
                                                 {OSSL_FUNC_CIPHER_GETTABLE_PARAMS, Any(gettable_cipher_params)},
                                                 {OSSL_FUNC_CIPHER_GET_CTX_PARAMS, Any(get_ctx_params)},
                                                 {OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, Any(gettable)},
                                                 {OSSL_FUNC_CIPHER_SET_CTX_PARAMS, Any(set_ctx_params)},
                                                 {OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, Any(settable)},
                                                 {0, nullptr}};
};

}  // namespace cst::ossl
