// GCM, GMAC and GHASH as the manager's functions: arguments are checked, registers cleared.

#include <cstring>

#include "cryptostitch/cryptostitch.h"
#include "errors.hpp"
#include "gcm.hpp"
#include "kept_keys.hpp"
#include "suite/registers.hpp"
#include "suite/secret.hpp"

namespace cst::imb {
namespace {

// The first that is wrong, as the number of the thread.
bool refused(int error) {
    set_error(nullptr, error);
    return error != 0;
}

int wrong_start(const void *key, const void *context, const void *iv, uint64_t iv_bytes, const void *aad,
                uint64_t aad_bytes) {
    if (!key) return IMB_ERR_NULL_EXP_KEY;
    if (!context) return IMB_ERR_NULL_CTX;
    if (!iv) return IMB_ERR_NULL_IV;
    if (!iv_bytes) return IMB_ERR_IV_LEN;
    return aad_bytes && !aad ? IMB_ERR_NULL_AAD : 0;
}

int wrong_text(const void *key, const void *context, const void *out, const void *in, uint64_t bytes) {
    if (!key) return IMB_ERR_NULL_EXP_KEY;
    if (!context) return IMB_ERR_NULL_CTX;
    if (bytes && !in) return IMB_ERR_NULL_SRC;
    return bytes && !out ? IMB_ERR_NULL_DST : 0;
}

int wrong_tag(const void *tag, uint64_t bytes) {
    if (!tag) return IMB_ERR_NULL_AUTH;
    return bytes && bytes <= BLOCK ? 0 : IMB_ERR_AUTH_TAG_LEN;
}

int wrong_end(const void *key, const void *context, const void *tag, uint64_t bytes) {
    if (!key) return IMB_ERR_NULL_EXP_KEY;
    return context ? wrong_tag(tag, bytes) : IMB_ERR_NULL_CTX;
}

template <unsigned key_bytes>
void expand(const void *key, gcm_key_data *out) {
    if (refused(!key ? IMB_ERR_NULL_KEY : !out ? IMB_ERR_NULL_EXP_KEY : 0)) return;
    const ClearRegisters clear(engine()->cpu());
    gcm_expand(key_bytes, key, out);
}

template <unsigned key_bytes>
void expand_rest(gcm_key_data *out) {
    if (refused(out ? 0 : IMB_ERR_NULL_EXP_KEY)) return;
    const ClearRegisters clear(engine()->cpu());
    gcm_expand_hash(key_bytes, out);
}

template <unsigned key_bytes>
void begin_any(const gcm_key_data *key, gcm_context_data *context, const uint8_t *iv, uint64_t iv_bytes,
               const uint8_t *aad, uint64_t aad_bytes) {
    if (refused(wrong_start(key, context, iv, iv_bytes, aad, aad_bytes))) return;
    const ClearRegisters clear(engine()->cpu());
    gcm_begin(key_bytes, *key, context, iv, iv_bytes, aad, aad_bytes);
}

template <unsigned key_bytes>
void begin(const gcm_key_data *key, gcm_context_data *context, const uint8_t *iv, const uint8_t *aad,
           uint64_t aad_bytes) {
    begin_any<key_bytes>(key, context, iv, GCM_IV, aad, aad_bytes);
}

template <unsigned key_bytes, bool opens>
void text(const gcm_key_data *key, gcm_context_data *context, uint8_t *out, const uint8_t *in, uint64_t bytes) {
    if (refused(wrong_text(key, context, out, in, bytes)) || !bytes) return;
    const ClearRegisters clear(engine()->cpu());
    gcm_text(key_bytes, *key, context, out, in, bytes, opens);
}

void end(const gcm_key_data *key, gcm_context_data *context, uint8_t *tag, uint64_t tag_bytes) {
    if (refused(wrong_end(key, context, tag, tag_bytes))) return;
    const ClearRegisters clear(engine()->cpu());
    gcm_end(*key, context, tag, tag_bytes);
}

template <unsigned key_bytes>
void begin_gmac(const gcm_key_data *key, gcm_context_data *context, const uint8_t *iv, uint64_t iv_bytes) {
    begin_any<key_bytes>(key, context, iv, iv_bytes, nullptr, 0);
}

void text_gmac(const gcm_key_data *key, gcm_context_data *context, const uint8_t *in, uint64_t bytes) {
    if (refused(wrong_text(key, context, context, in, bytes)) || !bytes) return;
    const ClearRegisters clear(engine()->cpu());
    gmac_text(*key, context, in, bytes);
}

// A message at once, on the library's own GCM: the context is not needed, and left clear.
template <unsigned key_bytes>
bool seal_at_once(const gcm_key_data &key, uint8_t *out, const uint8_t *in, uint64_t bytes, const uint8_t *iv,
                  const uint8_t *aad, uint64_t aad_bytes, uint8_t *tag) {
    const Suite *const suite = cipher_suite(Cipher::gcm, key_bytes);
    KeptKeys *const kept = KeptKeys::of_thread();
    if (!suite || !kept) return false;
    kept->begin();
    const Key *const made = kept->get(*suite, key);
    return made && !cst_seal(reinterpret_cast<const cst_key *>(made), iv, GCM_IV, aad, aad_bytes, in, bytes, out, bytes,
                             nullptr, tag, BLOCK);
}

template <unsigned key_bytes, bool opens>
void whole(const gcm_key_data *key, gcm_context_data *context, uint8_t *out, const uint8_t *in, uint64_t bytes,
           const uint8_t *iv, const uint8_t *aad, uint64_t aad_bytes, uint8_t *tag, uint64_t tag_bytes) {
    if (refused(wrong_start(key, context, iv, GCM_IV, aad, aad_bytes)) ||
        refused(wrong_text(key, context, out, in, bytes)) || refused(wrong_tag(tag, tag_bytes)))
        return;
    const ClearRegisters clear(engine()->cpu());
    uint8_t all[BLOCK];
    if (!opens && seal_at_once<key_bytes>(*key, out, in, bytes, iv, aad, aad_bytes, all)) {
        memcpy(tag, all, size_t(tag_bytes));
        return wipe(context, sizeof(*context));
    }
    gcm_begin(key_bytes, *key, context, iv, GCM_IV, aad, aad_bytes);
    if (bytes) gcm_text(key_bytes, *key, context, out, in, bytes, opens);
    gcm_end(*key, context, tag, tag_bytes);
}

void hash(const gcm_key_data *key, const void *in, uint64_t bytes, void *tag, uint64_t tag_bytes) {
    if (refused(wrong_text(key, key, tag, in, bytes)) || refused(wrong_tag(tag, tag_bytes))) return;
    const ClearRegisters clear(engine()->cpu());
    static const uint8_t zero[BLOCK] = {};
    uint8_t all[BLOCK];
    ghash(*key, zero, octets(in), bytes, all);
    memcpy(tag, all, size_t(tag_bytes));
}

void expand_ghash(const void *key, gcm_key_data *out) {
    if (refused(!key ? IMB_ERR_NULL_KEY : !out ? IMB_ERR_NULL_EXP_KEY : 0)) return;
    const ClearRegisters clear(engine()->cpu());
    ghash_expand(key, out);
}

}  // namespace

void set_gcm_functions(IMB_MGR *manager) {
#define FUNCTIONS(bits)                                      \
    manager->gcm##bits##_enc = whole<bits / 8, false>;       \
    manager->gcm##bits##_dec = whole<bits / 8, true>;        \
    manager->gcm##bits##_init = begin<bits / 8>;             \
    manager->gcm##bits##_init_var_iv = begin_any<bits / 8>;  \
    manager->gcm##bits##_enc_update = text<bits / 8, false>; \
    manager->gcm##bits##_dec_update = text<bits / 8, true>;  \
    manager->gcm##bits##_enc_finalize = end;                 \
    manager->gcm##bits##_dec_finalize = end;                 \
    manager->gcm##bits##_precomp = expand_rest<bits / 8>;    \
    manager->gcm##bits##_pre = expand<bits / 8>;             \
    manager->gmac##bits##_init = begin_gmac<bits / 8>;       \
    manager->gmac##bits##_update = text_gmac;                \
    manager->gmac##bits##_finalize = end
    FUNCTIONS(128);
    FUNCTIONS(192);
    FUNCTIONS(256);
#undef FUNCTIONS
    manager->ghash = hash;
    manager->ghash_pre = expand_ghash;
}

}  // namespace cst::imb
