// GCM, GMAC and GHASH (SP 800-38D), of messages at once and in steps that share a context of the caller's. What a
// context holds between the steps is this library's own matter; the struct's names are not.
#pragma once

#include "counter.hpp"
#include "gcm_message.hpp"

namespace cst::imb {

// AES with keys of key_bytes. No argument is checked, except that lengths of 0 need no buffers.
void gcm_expand(uint64_t key_bytes, const void *key, gcm_key_data *out);
// expanded_keys are there: the rest.
void gcm_expand_hash(uint64_t key_bytes, gcm_key_data *out);
void ghash_expand(const void *hash_key, gcm_key_data *out);

// Processes a message in one call: the text, whose input and output may overlap, and the whole tag. GMAC has no text.
// False: there was no memory, or none that may be executed; then text and tag are zeros.
[[nodiscard]] bool gcm_whole(uint64_t key_bytes, const gcm_key_data &key, bool opens, const GcmInput &input,
                             uint8_t *out, const uint8_t *in, uint64_t bytes, uint8_t *tag);

void gcm_begin(const gcm_key_data &key, gcm_context_data *context, const GcmInput &input);
// False: as of gcm_whole, and the message has no tag any more: each further step fails, and the tag becomes zeros.
[[nodiscard]] bool gcm_text(uint64_t key_bytes, const gcm_key_data &key, gcm_context_data *context, uint8_t *out,
                            const uint8_t *in, uint64_t bytes, bool opens);
// Adds to the data that GMAC authenticates.
[[nodiscard]] bool gmac_text(const gcm_key_data &key, gcm_context_data *context, const uint8_t *in, uint64_t bytes);
// Wipes the context.
[[nodiscard]] bool gcm_end(uint64_t key_bytes, const gcm_key_data &key, gcm_context_data *context, uint8_t *tag,
                           uint64_t tag_bytes);

// Continues GHASH from `first` over data, padded with zeros.
void ghash(const gcm_key_data &key, const uint8_t *first, const uint8_t *data, uint64_t bytes, uint8_t *tag);

// The functions of the manager.
void set_gcm_functions(IMB_MGR *manager);

}  // namespace cst::imb
