// Processes a message of GCM, or a piece of one, by one kernel call, under the caller's key in place.
#pragma once

#include "cryptostitch/cryptostitch.h"
#include "interface.hpp"
#include "suite/key.hpp"

namespace cst::imb {

// In gcm_key_data the round keys, the powers H^GHASH_POWERS .. H and rows of zeros stand at the same distances as in a
// key of the library (suite/key_layout.hpp), so that kernels that take the key of a job take it, too. The last byte of
// ghash_keys is 1 in keys of AES-128, whose powers begin 64 bytes earlier.
const KeyRow *powers_end(const gcm_key_data &key);
// Makes the powers. key_bytes: of AES, whose round keys are there, or 32 if there is none.
void put_powers(uint64_t key_bytes, const uint8_t *h, gcm_key_data *key);

struct GcmMessage {
    bool opens;
    const uint8_t *counter;  // J0: the first block of the text has the next one
    const uint8_t *aad;      // at most MESSAGE_AAD bytes
    uint64_t aad_bytes;
    const uint8_t *in;  // in place, or apart
    uint8_t *out;
    uint64_t bytes;
};

// Whether there are powers enough for a message with so much AAD.
bool has_powers(uint64_t aad_bytes, uint64_t bytes);

// Makes a message a job of a list (message/job_list.hpp). J0 is `counter`, GCM_IV bytes, and the number 1. Returns the
// call of the kernel that takes the job, or NULL.
const KernelCall *make_listed(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &message, uint8_t *tag,
                              cst_job *job);

// Writes the text and the tag (of 16 bytes). Returns false, and does nothing, if there is no kernel for it, or the last
// 32 bits of the counter would carry.
bool run_gcm_message(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &message, uint64_t aad_length,
                     uint8_t *tag);

// Text in the midst of a message, at least a byte. `aad` is one block B, for the GHASH so far, which is B H. In the
// tag's place comes E(K, counter) + (B H^n + C1 H^(n-1) + .. + C(n-1) H): without the first, and with the last block Cn
// added, it is the next B.
bool run_gcm_piece(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &piece, uint8_t *chain);

}  // namespace cst::imb
