// What kernels of a hash read for a block where that is not the block alone, as the algorithm record says: a frame of
// input_bytes bytes. Words are little-endian.
#pragma once

#include <cstring>

#include "padding.hpp"

namespace cst {

// `frame` holds `used` bytes of a block, at most all, up to byte `hashed` of the message; what follows them is put
// there. last: it is the message's last block.
inline void end_frame(const AlgorithmRecord &hash, uint8_t *frame, size_t used, uint64_t hashed, bool last) {
    memset(frame + used, 0, hash.input_bytes - used);
    if (hash.padding == PADDING_SPONGE) {  // FIPS 202, 5.1 and B.2; SP 800-232, 2.1
        if (!last) return;
        frame[used] = uint8_t(hash.domain);
        frame[hash.block_bytes - 1] |= uint8_t(hash.last);
        return;
    }
    uint8_t *const behind = frame + hash.block_bytes;  // RFC 7693, 3.2: t and f
    memcpy(behind, &hashed, sizeof(hashed));
    if (last) memset(behind + 2 * hash.word_bytes, 0xff, hash.word_bytes);
}

// Whether `rest` bytes, and so many more of a message that does not end there, make a block that is not its last, of
// which `room` bytes are wanted. BLAKE2's last block may be full.
inline bool fills_frame(const AlgorithmRecord &hash, uint64_t rest, size_t room) {
    return hash.padding == PADDING_SPONGE ? rest >= room : rest > room;
}

// Bytes of output between two compressions; of all but sponges there is no second one.
inline size_t output_bytes(const AlgorithmRecord &hash) {
    return hash.padding == PADDING_SPONGE ? hash.squeeze_bytes : hash.chain_bytes();
}

}  // namespace cst
