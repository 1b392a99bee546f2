// GCM, GMAC and GHASH in steps that share a context of the caller's (SP 800-38D). What a context holds between the
// steps is this library's own matter; the struct's names are not.
#pragma once

#include "counter.hpp"

namespace cst::imb {

// Of AES with keys of key_bytes. No argument is checked but for lengths of 0, which need no buffers.
void gcm_expand(uint64_t key_bytes, const void *key, gcm_key_data *out);
// expanded_keys are there: the rest.
void gcm_expand_hash(uint64_t key_bytes, gcm_key_data *out);
void ghash_expand(const void *hash_key, gcm_key_data *out);

// J0 (7.1, step 2).
void gcm_first_counter(const gcm_key_data &key, const uint8_t *iv, uint64_t iv_bytes, uint8_t *counter);

void gcm_begin(uint64_t key_bytes, const gcm_key_data &key, gcm_context_data *context, const uint8_t *iv,
               uint64_t iv_bytes, const uint8_t *aad, uint64_t aad_bytes);
void gcm_text(uint64_t key_bytes, const gcm_key_data &key, gcm_context_data *context, uint8_t *out, const uint8_t *in,
              uint64_t bytes, bool opens);
// Of GMAC: more of what is authenticated alone.
void gmac_text(const gcm_key_data &key, gcm_context_data *context, const uint8_t *in, uint64_t bytes);
// Wipes the context.
void gcm_end(const gcm_key_data &key, gcm_context_data *context, uint8_t *tag, uint64_t tag_bytes);

// The tag of a message whose ciphertext is there. Of longer texts (LONG_GHASH) the library's GMAC is faster.
void gcm_tag(uint64_t key_bytes, const gcm_key_data &key, const uint8_t *iv, uint64_t iv_bytes, const uint8_t *aad,
             uint64_t aad_bytes, const uint8_t *ciphertext, uint64_t bytes, uint8_t *tag);
constexpr uint64_t LONG_GHASH = 512;
// The tag of a message, from the GMAC of its ciphertext under the same IV, in whose place it comes: GHASH is linear.
void tag_of_gmac(const gcm_key_data &key, const uint8_t *aad, uint64_t aad_bytes, uint64_t text_bytes, uint8_t *tag);

// GHASH goes on from `first` over data, filled up with zeros.
void ghash(const gcm_key_data &key, const uint8_t *first, const uint8_t *data, uint64_t bytes, uint8_t *tag);

// The powers of the hash key, as ExpandedKey wants them.
const void *powers_of(const gcm_key_data &key);

// The functions of the manager.
void set_gcm_functions(IMB_MGR *manager);

}  // namespace cst::imb
