// Processes a message of GCM, or a piece of one, by one kernel call, under the caller's key in place.
#pragma once

#include "interface.hpp"

namespace cst::imb {

// H^GCM_POWERS .. H stand in gcm_key_data::ghash_keys, and behind them a row of zeros: as many as a kernel asks for,
// which is two of its strides and the lengths. It reads at most a stride behind H.
constexpr size_t GCM_POWERS = 33;

struct GcmMessage {
    bool opens;
    const uint8_t *counter;  // J0: the first block of the text has the next one
    const uint8_t *aad;      // at most MESSAGE_AAD bytes
    uint64_t aad_bytes;
    const uint8_t *in;  // in place, or apart
    uint8_t *out;
    uint64_t bytes;
};

// Writes the text and the tag (of 16 bytes). Returns false, and does nothing, if there is no kernel for it, or the last
// 32 bits of the counter would carry.
bool run_gcm_message(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &message, uint64_t aad_length,
                     uint8_t *tag);

// Text in the midst of a message, at least a byte. `aad` is one block B, for the GHASH so far, which is B H. In the
// tag's place comes E(K, counter) + (B H^n + C1 H^(n-1) + .. + C(n-1) H): without the first, and with the last block Cn
// added, it is the next B.
bool run_gcm_piece(uint64_t key_bytes, const gcm_key_data &key, const GcmMessage &piece, uint8_t *chain);

}  // namespace cst::imb
