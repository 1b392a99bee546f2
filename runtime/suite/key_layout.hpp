// Tells where the parts of a suite's keys are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

struct Suite;

// Offsets in bytes from the beginning of the key, the same for all keys of a suite; 0: such keys have no such part.
// Parts that vectors of 64 bytes may read (round keys, powers) begin a cache line, and no line is shared with another
// key.
struct KeyLayout {
    // First after the header, in every key that has them, so that their address does not wait for a load of the suite.
    static constexpr uint16_t ENCRYPT = 64;

    uint16_t decrypt = 0, tweak = 0, mac = 0, inner = 0, outer = 0, masks = 0, powers = 0, rc4 = 0, crc = 0;
    uint16_t halves[2] = {};  // of two digests: a key of each; or of the cipher, and of the checksum
    uint32_t bytes = 0;  // of the whole key; a multiple of 64

    // Returns the offset of the cipher's round keys; both directions share them if the cipher is its own inverse.
    size_t round_keys(bool open) const { return open ? decrypt : ENCRYPT; }
};

KeyLayout lay_out_key(const Suite &suite);

}  // namespace cst
