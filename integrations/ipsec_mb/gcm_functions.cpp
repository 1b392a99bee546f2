// GCM, GMAC and GHASH as the manager's functions: arguments are checked, registers cleared.

#include <cstring>

#include "check.hpp"
#include "errors.hpp"
#include "gcm.hpp"
#include "executors/copy.hpp"
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
    if (bytes && !out) return IMB_ERR_NULL_DST;
    return bytes > MOST_GCM_TEXT ? IMB_ERR_CIPH_LEN : 0;
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
    const ClearRegisters clear(cpu());
    gcm_expand(key_bytes, key, out);
}

template <unsigned key_bytes>
void expand_rest(gcm_key_data *out) {
    if (refused(out ? 0 : IMB_ERR_NULL_EXP_KEY)) return;
    const ClearRegisters clear(cpu());
    gcm_expand_hash(key_bytes, out);
}

void begin_any(const gcm_key_data *key, gcm_context_data *context, const uint8_t *iv, uint64_t iv_bytes,
               const uint8_t *aad, uint64_t aad_bytes) {
    if (refused(wrong_start(key, context, iv, iv_bytes, aad, aad_bytes))) return;
    const ClearRegisters clear(cpu());
    gcm_begin(*key, context, {iv, iv_bytes, aad, aad_bytes});
}

void begin(const gcm_key_data *key, gcm_context_data *context, const uint8_t *iv, const uint8_t *aad,
           uint64_t aad_bytes) {
    begin_any(key, context, iv, GCM_IV, aad, aad_bytes);
}

template <unsigned key_bytes, bool opens>
void text(const gcm_key_data *key, gcm_context_data *context, uint8_t *out, const uint8_t *in, uint64_t bytes) {
    if (refused(wrong_text(key, context, out, in, bytes)) || !bytes) return;
    const ClearRegisters clear(cpu());
    report(gcm_text(key_bytes, *key, context, out, in, bytes, opens));
}

template <unsigned key_bytes>
void end(const gcm_key_data *key, gcm_context_data *context, uint8_t *tag, uint64_t tag_bytes) {
    if (refused(wrong_end(key, context, tag, tag_bytes))) return;
    const ClearRegisters clear(cpu());
    report(gcm_end(key_bytes, *key, context, tag, tag_bytes));
}

void begin_gmac(const gcm_key_data *key, gcm_context_data *context, const uint8_t *iv, uint64_t iv_bytes) {
    begin_any(key, context, iv, iv_bytes, nullptr, 0);
}

void text_gmac(const gcm_key_data *key, gcm_context_data *context, const uint8_t *in, uint64_t bytes) {
    if (refused(wrong_text(key, context, context, in, bytes)) || !bytes) return;
    const ClearRegisters clear(cpu());
    report(gmac_text(*key, context, in, bytes));
}

// The context is not needed.
template <unsigned key_bytes, bool opens>
void whole(const gcm_key_data *key, gcm_context_data *context, uint8_t *out, const uint8_t *in, uint64_t bytes,
           const uint8_t *iv, const uint8_t *aad, uint64_t aad_bytes, uint8_t *tag, uint64_t tag_bytes) {
    int error = wrong_start(key, context, iv, GCM_IV, aad, aad_bytes);
    if (!error) error = wrong_text(key, context, out, in, bytes);
    if (!error) error = wrong_tag(tag, tag_bytes);
    if (refused(error)) return;
    const ClearRegisters clear(cpu());
    alignas(BLOCK) uint8_t all[BLOCK];
    report(gcm_whole(key_bytes, *key, opens, {iv, GCM_IV, aad, aad_bytes}, out, in, bytes, all));
    copy_few(tag, all, size_t(tag_bytes));
    wipe(all, sizeof(all));
}

// Goes on from the value in `tag`, of which 16 bytes are read as the original does, whatever tag_bytes is.
void hash(const gcm_key_data *key, const void *in, uint64_t bytes, void *tag, uint64_t tag_bytes) {
    if (refused(!key ? IMB_ERR_NULL_EXP_KEY : !in ? IMB_ERR_NULL_SRC : !bytes ? IMB_ERR_AUTH_LEN : 0)) return;
    if (refused(wrong_tag(tag, tag_bytes))) return;
    const ClearRegisters clear(cpu());
    uint8_t all[BLOCK];
    ghash(*key, octets(tag), octets(in), bytes, all);
    memcpy(tag, all, size_t(tag_bytes));
    wipe(all, sizeof(all));
}

void expand_ghash(const void *key, gcm_key_data *out) {
    if (refused(!key ? IMB_ERR_NULL_KEY : !out ? IMB_ERR_NULL_EXP_KEY : 0)) return;
    const ClearRegisters clear(cpu());
    ghash_expand(key, out);
}

}  // namespace

void set_gcm_functions(IMB_MGR *manager) {
#define FUNCTIONS(bits)                                      \
    manager->gcm##bits##_enc = whole<bits / 8, false>;       \
    manager->gcm##bits##_dec = whole<bits / 8, true>;        \
    manager->gcm##bits##_init = begin;                       \
    manager->gcm##bits##_init_var_iv = begin_any;            \
    manager->gcm##bits##_enc_update = text<bits / 8, false>; \
    manager->gcm##bits##_dec_update = text<bits / 8, true>;  \
    manager->gcm##bits##_enc_finalize = end<bits / 8>;       \
    manager->gcm##bits##_dec_finalize = end<bits / 8>;       \
    manager->gcm##bits##_precomp = expand_rest<bits / 8>;    \
    manager->gcm##bits##_pre = expand<bits / 8>;             \
    manager->gmac##bits##_init = begin_gmac;                 \
    manager->gmac##bits##_update = text_gmac;                \
    manager->gmac##bits##_finalize = end<bits / 8>
    FUNCTIONS(128);
    FUNCTIONS(192);
    FUNCTIONS(256);
#undef FUNCTIONS
    manager->ghash = hash;
    manager->ghash_pre = expand_ghash;
}

}  // namespace cst::imb
