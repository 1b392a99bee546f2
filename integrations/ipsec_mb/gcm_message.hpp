// Processes a message of GCM, or a piece of one, by one kernel call, under the caller's key in place.
#pragma once

#include "interface.hpp"

namespace cst::imb {

// H^GCM_POWERS .. H stand in gcm_key_data::ghash_keys, and behind them a row of zeros. A short message has no more than
// 32 blocks of text, one of AAD and the lengths; a longer one needs two strides of 16 and the lengths. Kernels read at
// most 14 rows behind H, and up to two before the first power where the AAD has less than three blocks.
constexpr size_t GCM_POWERS = 34;

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

// Writes the text and the tag (of 16 bytes). Returns false, and does nothing, if there is no kernel for it, or the last
// 32 bits of the counter would carry.
bool run_gcm_message(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &message, uint64_t aad_length,
                     uint8_t *tag);

// Text in the midst of a message, at least a byte. `aad` is one block B, for the GHASH so far, which is B H. In the
// tag's place comes E(K, counter) + (B H^n + C1 H^(n-1) + .. + C(n-1) H): without the first, and with the last block Cn
// added, it is the next B.
bool run_gcm_piece(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &piece, uint8_t *chain);

}  // namespace cst::imb
