#include "chacha.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "cryptostitch/cryptostitch.h"
#include "errors.hpp"
#include "parts/chacha_parts.hpp"
#include "parts/key_stream.hpp"
#include "suite/registers.hpp"
#include "suite/secret.hpp"

namespace cst::imb {
namespace {

constexpr size_t KEY_BYTES = 32, NONCE = ChaChaParts::NONCE;
typedef chacha20_poly1305_context_data Context;
static_assert(sizeof(ChaChaParts) <= sizeof(Context) && alignof(ChaChaParts) <= alignof(Context));
static_assert(std::is_trivially_copyable<ChaChaParts>::value);

ChaChaKey chacha_key(const void *bytes) {
    return {basic_suite(Cipher::chacha20_poly1305, KEY_BYTES), &basic_suite(Cipher::chacha20, KEY_BYTES), bytes};
}

// Takes a context with counts that no message has for one whose message has failed.
ChaChaParts *parts_of(Context *context) { return reinterpret_cast<ChaChaParts *>(context); }
bool fail(Context *context) {
    memset(context, 0xff, sizeof(*context));
    return false;
}

}  // namespace

bool key_stream(const void *key, const uint8_t *nonce, uint64_t block, const uint8_t *in, uint8_t *out,
                uint64_t bytes) {
    const Suite &suite = basic_suite(Cipher::chacha20, KEY_BYTES);
    uint8_t iv[sizeof(uint32_t) + NONCE];
    const uint32_t first = uint32_t(block);
    memcpy(iv, &first, sizeof(first));
    memcpy(iv + sizeof(first), nonce, NONCE);
    return !add_key_stream(&suite, key, iv, {in, size_t(bytes)}, out);
}

bool chacha_begin(const void *key, Context *context, const uint8_t *iv, const uint8_t *aad, uint64_t aad_bytes) {
    ChaChaParts *const parts = new (context) ChaChaParts;
    return (parts->begin(chacha_key(key), iv) && parts->aad(chacha_key(key), {aad, size_t(aad_bytes)})) ||
           fail(context);
}

bool chacha_text(const void *key, Context *context, uint8_t *out, const uint8_t *in, uint64_t bytes, bool opens) {
    ChaChaParts *const parts = parts_of(context);
    if (parts->is_sound() && parts->text(chacha_key(key), {in, size_t(bytes)}, out, opens)) return true;
    wipe(out, size_t(bytes));
    return fail(context);
}

bool chacha_end(Context *context, uint8_t *tag, uint64_t tag_bytes) {
    const bool done = parts_of(context)->is_sound();
    uint8_t all[ChaChaParts::TAG] = {};
    if (done) parts_of(context)->tag(chacha_key(nullptr), all);
    memcpy(tag, all, size_t(std::min<uint64_t>(tag_bytes, sizeof(all))));
    wipe(context, sizeof(*context));
    return done;
}

void chacha_tag(const uint8_t *stream, const uint8_t *aad, uint64_t aad_bytes, const uint8_t *ciphertext,
                uint64_t bytes, uint8_t *tag) {
    const Suite &suite = chacha_key(nullptr).aead;
    PolyParts parts;
    parts.begin(stream);
    parts.add(suite, aad, size_t(aad_bytes));
    parts.fill(suite);
    parts.add(suite, ciphertext, size_t(bytes));
    parts.end(suite, aad_bytes, bytes, tag);
}

void poly1305(const uint8_t *key, const uint8_t *data, uint64_t bytes, uint8_t *tag) {
    const Suite &suite = chacha_key(nullptr).aead;
    PolyParts parts;
    parts.begin(key);
    parts.add(suite, data, size_t(bytes));
    parts.end(suite, tag);
}

namespace {

bool refused(int error) {
    set_error(nullptr, error);
    return error != 0;
}

void begin(const void *key, Context *context, const void *iv, const void *aad, uint64_t aad_bytes) {
    if (refused(!key                ? IMB_ERR_NULL_KEY
                : !context          ? IMB_ERR_NULL_CTX
                : !iv               ? IMB_ERR_NULL_IV
                : aad_bytes && !aad ? IMB_ERR_NULL_AAD
                                    : 0))
        return;
    const ClearRegisters clear(cpu());
    report(chacha_begin(key, context, octets(iv), octets(aad), aad_bytes));
}

template <bool opens>
void text(const void *key, Context *context, void *out, const void *in, uint64_t bytes) {
    if (refused(!key            ? IMB_ERR_NULL_KEY
                : !context      ? IMB_ERR_NULL_CTX
                : bytes && !in  ? IMB_ERR_NULL_SRC
                : bytes && !out ? IMB_ERR_NULL_DST
                                : 0) ||
        !bytes)
        return;
    const ClearRegisters clear(cpu());
    report(chacha_text(key, context, octets(out), octets(in), bytes, opens));
}

void end(Context *context, void *tag, uint64_t tag_bytes) {
    if (refused(!context                                     ? IMB_ERR_NULL_CTX
                : !tag                                       ? IMB_ERR_NULL_AUTH
                : !tag_bytes || tag_bytes > ChaChaParts::TAG ? IMB_ERR_AUTH_TAG_LEN
                                                             : 0))
        return;
    const ClearRegisters clear(cpu());
    report(chacha_end(context, octets(tag), tag_bytes));
}

}  // namespace

void set_chacha_functions(IMB_MGR *manager) {
    manager->chacha20_poly1305_init = begin;
    manager->chacha20_poly1305_enc_update = text<false>;
    manager->chacha20_poly1305_dec_update = text<true>;
    manager->chacha20_poly1305_finalize = end;
}

}  // namespace cst::imb
