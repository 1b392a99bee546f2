// The lengths that jobs of a suite may have, as data: cst_suite_info reports them, and the API checks them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cst {

struct Suite;

struct TextLengths {
    uint64_t min = 0, max = 0, multiple = 1;  // a power of two
    uint64_t tags = 0;  // of these texts; bit n - 1: tags of n bytes; 0: no tag
    uint64_t most_tag = 64;  // more than 64: longer tags are allowed, too

    bool hold(uint64_t bytes) const { return bytes - min <= max - min && !(bytes & (multiple - 1)); }
    bool hold_tag(size_t bytes) const {
        return bytes > 64 ? bytes <= most_tag : bytes ? tags >> (bytes - 1) & 1 : !tags;
    }
};

struct Lengths {
    TextLengths seal, open;  // of the input
    uint64_t aad_step = 1;  // step between allowed lengths of AADs, a power of two
    size_t iv_and_count = 0;  // CCM: bytes that the IV and the count of the text share; 0: IV and text are independent

    const TextLengths &of(bool opened) const { return opened ? open : seal; }
    // Returns the greatest length of an input beside an IV of a length that is right.
    uint64_t most_input(bool opened, size_t iv_bytes) const {
        const size_t count = iv_and_count - iv_bytes;
        const uint64_t most = of(opened).max;
        return iv_and_count && count < sizeof(most) ? std::min(most, (uint64_t(1) << 8 * count) - 1) : most;
    }
    // Whether an input may have this length, beside such an IV.
    bool hold_input(bool opened, size_t iv_bytes, uint64_t bytes) const {
        return bytes <= most_input(opened, iv_bytes) && of(opened).hold(bytes);
    }
};

Lengths lengths_of(const Suite &suite);

}  // namespace cst
