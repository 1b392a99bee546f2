// Padded blocks (frames): what kernels of a hash read for a block if that is not the block alone, input_bytes bytes, as
// the algorithm record says. Words are little-endian.
#pragma once

#include <cstring>

#include "padding.hpp"

namespace cst {

// Completes the padded block in `frame`, which holds `used` bytes of a block, at most all, up to byte `hashed` of the
// message. last: it is the message's last block, after which a sponge has the byte `domain`.
inline void end_frame(const AlgorithmRecord &hash, uint8_t *frame, size_t used, uint64_t hashed, bool last,
                      uint32_t domain) {
    memset(frame + used, 0, hash.input_bytes - used);
    if (hash.padding == PADDING_SPONGE) {  // FIPS 202, 5.1 and B.2; SP 800-232, 2.1
        if (!last) return;
        frame[used] = uint8_t(domain);
        frame[hash.block_bytes - 1] |= uint8_t(hash.last);
        return;
    }
    if (hash.padding == PADDING_LOW_LENGTH) {
        if (last) frame[hash.block_bytes - 1] = uint8_t(hashed);
        return;
    }
    uint8_t *const behind = frame + hash.block_bytes;  // RFC 7693, 3.2: t and f
    memcpy(behind, &hashed, sizeof(hashed));
    if (last) memset(behind + 2 * hash.word_bytes, 0xff, hash.word_bytes);
}

// Whether a message's last block has bytes of padding, and may have no others; that of BLAKE2 may be full.
inline bool always_pads(const AlgorithmRecord &hash) { return hash.padding != PADDING_COUNTED; }

// Whether the next `rest` bytes of a message fill the `room` bytes that a block still needs, and the block is not the
// message's last.
inline bool fills_frame(const AlgorithmRecord &hash, uint64_t rest, size_t room) {
    return always_pads(hash) ? rest >= room : rest > room;
}

// Returns the bytes of output between two compressions; only sponges have a second one.
inline size_t output_bytes(const AlgorithmRecord &hash) {
    return hash.padding == PADDING_SPONGE ? hash.squeeze_bytes : hash.chain_bytes();
}

}  // namespace cst
