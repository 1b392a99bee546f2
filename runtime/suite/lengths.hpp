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

// The lengths of jobs that the fast accept (api/surely_right.hpp) passes, as few numbers side by side: each less the
// least one is at most a span, and no bit of a remainder is set in it. They are below MOST_SURE, so that sums do not
// overflow.
struct SureLengths {
    static constexpr uint64_t MOST_SURE = (uint64_t(1) << 59) - 1;

    uint64_t iv_least = 0, iv_span = 0;
    uint64_t aad_least = 0, aad_span = 0, aad_remainder = 0;
    uint64_t tag_least = 0, tags = 0;  // bit n: tags of n bytes more than the least
    uint64_t text_least = 0, text_span = 0, text_remainder = 0;
    uint64_t written = 0;  // all bits: `out` becomes as long as `in`; 0: there is no `out`

    // Whether a job may have such lengths beside a text.
    bool hold(uint64_t iv, uint64_t aad, uint64_t tag) const {
        return iv - iv_least <= iv_span && aad - aad_least <= aad_span && !((aad - aad_least) & aad_remainder) &&
               tag - tag_least < 64 && tags >> (tag - tag_least) & 1;
    }
};

// Returns those of jobs of the suite that are opened or sealed. None passes if the suite writes more bytes of text than
// it reads.
SureLengths sure_lengths_of(const Suite &suite, bool opened);

}  // namespace cst
