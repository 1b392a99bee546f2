// Where the parts of a suite's keys lie.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

struct Suite;

// The same for all keys of a suite. In bytes from the beginning of the key; 0: such keys have no such part. What
// vectors of 64 bytes may read (round keys, powers) begins a line of the cache, and no line is shared with another key.
struct KeyLayout {
    // The first behind the header, in every key that has them: their address does not wait for the suite's.
    static constexpr uint16_t ENCRYPT = 64;

    uint16_t decrypt = 0, tweak = 0, mac = 0, inner = 0, outer = 0, masks = 0, powers = 0, rc4 = 0, crc = 0;
    uint32_t bytes = 0;  // of the whole key; a multiple of 64

    // The cipher's; those of decryption are the same where the cipher is its own inverse.
    size_t round_keys(bool open) const { return open ? decrypt : ENCRYPT; }
};

KeyLayout lay_out_key(const Suite &suite);

}  // namespace cst
