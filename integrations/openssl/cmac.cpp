#include "cmac.hpp"

#include <strings.h>

#include <algorithm>

#include "cbc_blocks.hpp"
#include "suite/secret.hpp"

namespace cst::ossl {
namespace {

// The names of the cipher in libcrypto.
const char *const NAMES[][3] = {{"AES-128-CBC", "AES128", "2.16.840.1.101.3.4.1.2"},
                                {"AES-192-CBC", "AES192", "2.16.840.1.101.3.4.1.22"},
                                {"AES-256-CBC", "AES256", "2.16.840.1.101.3.4.1.42"}};

// Times x in the field of 128 bits (SP 800-38B, 6.1).
void twice(uint8_t *block) {
    const uint8_t carry = uint8_t(0 - (block[0] >> 7));
    for (size_t i = 0; i + 1 < BLOCK; i++) block[i] = uint8_t(block[i] << 1 | block[i + 1] >> 7);
    block[BLOCK - 1] = uint8_t(block[BLOCK - 1] << 1 ^ (carry & 0x87));
}

}  // namespace

Cmac::Cmac(const Provider &provider)
    : provider_(provider), keys_{{provider, CBC_128}, {provider, CBC_192}, {provider, CBC_256}} {}

bool Cmac::allocated() const {
    return std::all_of(keys_, keys_ + SIZES, [](const KeyMemory &key) { return key.allocated(); });
}

void Cmac::begin() {
    memset(chain_, 0, BLOCK);
    held_bytes_ = 0;
}

bool Cmac::init(Bytes key, const OSSL_PARAM params[]) {
    if (!set(params) || (key.data && !set_key(key))) return forget_keys(), false;
    if (!this->key()) return false;
    begin();
    return true;
}

bool Cmac::set_cipher(const OSSL_PARAM &param) {
    if (param.data_type != OSSL_PARAM_UTF8_STRING || !param.data) return raise(BAD_PARAMETER);
    for (size_t i = 0; i < SIZES; i++)
        for (const char *name : NAMES[i])
            if (!strcasecmp(static_cast<const char *>(param.data), name)) {
                if (size_ != i) keys_[i].forget();
                size_ = i;
                return true;
            }
    return raise(CIPHER);
}

// No message goes on under the key before, when another one is refused.
void Cmac::forget_keys() {
    for (KeyMemory &its : keys_) its.forget();
}

bool Cmac::set_key(Bytes key) {
    if (size_ == SIZES || key.n != 16 + 8 * size_) {
        forget_keys();
        return size_ < SIZES && raise(CIPHER_KEY_LENGTH);
    }
    begin();
    return provider_.done(keys_[size_].set(key.data, key.n));
}

// CBC-MAC is what CBC has as its last block; the ciphertext is of no use.
bool Cmac::absorb(const uint8_t *in, size_t n) {
    uint8_t unused[2048];
    for (; n; in += std::min(n, sizeof(unused)), n -= std::min(n, sizeof(unused)))
        if (!provider_.done(chain_blocks(key(), true, chain_, in, unused, std::min(n, sizeof(unused))))) return false;
    return true;
}

// The last block waits: it is masked.
bool Cmac::update(Bytes in) {
    if (!key()) return false;
    if (!in.n) return true;
    const size_t filled = std::min(in.n, BLOCK - held_bytes_);
    memcpy(held_ + held_bytes_, in.data, filled);
    held_bytes_ += filled;
    in = {in.data + filled, in.n - filled};
    if (!in.n) return true;
    const size_t through = (in.n - 1) / BLOCK * BLOCK;
    if (!absorb(held_, BLOCK) || !absorb(in.data, through)) return false;
    held_bytes_ = in.n - through;
    memcpy(held_, in.data + through, held_bytes_);
    return true;
}

bool Cmac::final(uint8_t *out, size_t *written, size_t room) {
    if (!key()) return false;
    if (room < BLOCK) return raise(NO_ROOM);
    uint8_t mask[BLOCK] = {}, zero[BLOCK] = {};
    if (!provider_.done(chain_blocks(key(), true, zero, mask, mask, BLOCK))) return false;
    twice(mask);
    if (held_bytes_ < BLOCK) {
        twice(mask);
        held_[held_bytes_] = 0x80;
        memset(held_ + held_bytes_ + 1, 0, BLOCK - held_bytes_ - 1);
        held_bytes_ = BLOCK;
    }
    for (size_t i = 0; i < BLOCK; i++) mask[i] ^= held_[i];
    const bool done = absorb(mask, BLOCK);
    wipe(mask, BLOCK);
    wipe(zero, BLOCK);
    if (!done) return false;
    memcpy(out, chain_, BLOCK);
    *written = BLOCK;
    return true;
}

bool Cmac::get(OSSL_PARAM params[]) const {
    const size_t bytes = size_ < SIZES ? BLOCK : 0;
    return (put_if(params, OSSL_MAC_PARAM_SIZE, bytes) && put_if(params, OSSL_MAC_PARAM_BLOCK_SIZE, bytes));
}

bool Cmac::set(const OSSL_PARAM params[]) {
    const OSSL_PARAM *const cipher = find(params, OSSL_MAC_PARAM_CIPHER), *const key = find(params, OSSL_MAC_PARAM_KEY);
    if (cipher && !set_cipher(*cipher)) return false;
    if (!key) return true;
    if (!is_octets(*key) || !key->data) return false;
    return set_key({static_cast<const uint8_t *>(key->data), key->data_size});
}

namespace {

Cmac *from(void *context) { return static_cast<Cmac *>(context); }

void destroy(Cmac *context) {
    const Provider &provider = context->provider();
    context->~Cmac();
    provider.release(context, sizeof(Cmac));
}

template <typename... From>
Cmac *make(const Provider &provider, const From &...other) {
    void *const memory = provider.allocate(sizeof(Cmac));
    if (!memory) return nullptr;
    Cmac *const made = new (memory) Cmac(other...);
    if (made->allocated()) return made;
    destroy(made);
    return nullptr;
}

void *newctx(void *provider) {
    const Provider &p = *static_cast<Provider *>(provider);
    return make(p, p);
}
void *dupctx(void *context) { return context ? make(from(context)->provider(), *from(context)) : nullptr; }
void freectx(void *context) {
    if (context) destroy(from(context));
}
int init(void *context, const uint8_t *key, size_t key_bytes, const OSSL_PARAM params[]) {
    return with_room<Cmac>(context, [&](Cmac &its) { return its.init({key, key_bytes}, params); });
}
int update(void *context, const uint8_t *in, size_t bytes) {
    return with_text<Cmac>(context, bytes, [&](Cmac &its) { return its.update({in, bytes}); });
}
int final(void *context, uint8_t *out, size_t *written, size_t room) {
    return with_room<Cmac>(context, [&](Cmac &its) { return its.final(out, written, room); });
}
int get_ctx_params(void *context, OSSL_PARAM params[]) { return from(context)->get(params); }
int set_ctx_params(void *context, const OSSL_PARAM params[]) {
    return with_room<Cmac>(context, [&](Cmac &its) { return its.set(params); });
}
const OSSL_PARAM *gettable(void *, void *) {
    static const OSSL_PARAM all[] = {OSSL_PARAM_size_t(OSSL_MAC_PARAM_SIZE, nullptr),
                                     OSSL_PARAM_size_t(OSSL_MAC_PARAM_BLOCK_SIZE, nullptr), OSSL_PARAM_END};
    return all;
}
const OSSL_PARAM *settable(void *, void *) {
    static const OSSL_PARAM all[] = {OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_CIPHER, nullptr, 0),
                                     OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_PROPERTIES, nullptr, 0),
                                     OSSL_PARAM_octet_string(OSSL_MAC_PARAM_KEY, nullptr, 0), OSSL_PARAM_END};
    return all;
}

typedef void (*Any)();

}  // namespace

const OSSL_DISPATCH CMAC_FUNCTIONS[] = {{OSSL_FUNC_MAC_NEWCTX, Any(newctx)},
                                        {OSSL_FUNC_MAC_DUPCTX, Any(dupctx)},
                                        {OSSL_FUNC_MAC_FREECTX, Any(freectx)},
                                        {OSSL_FUNC_MAC_INIT, Any(init)},
                                        {OSSL_FUNC_MAC_UPDATE, Any(update)},
                                        {OSSL_FUNC_MAC_FINAL, Any(final)},
                                        {OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS, Any(gettable)},
                                        {OSSL_FUNC_MAC_GET_CTX_PARAMS, Any(get_ctx_params)},
                                        {OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, Any(settable)},
                                        {OSSL_FUNC_MAC_SET_CTX_PARAMS, Any(set_ctx_params)},
                                        {0, nullptr}};

}  // namespace cst::ossl
