// The offsets of a column: item i lies between offset i and offset i + 1.
#pragma once

#include "arguments.hpp"

namespace cst {

// The array of the n + 1 offsets of n > 0 items.
inline Argument offset_array(const void *offsets, size_t offset_bytes, size_t n) {
    return {offsets, n < MOST_BYTES ? product_of(n + 1, offset_bytes) : SIZE_MAX, false, offset_bytes};
}

// Whether no offset is less than the one before, and all are within the data.
template <typename Offset>
bool right_offsets(const void *p, size_t n, uint64_t data_bytes) {
    const Offset *const offsets = static_cast<const Offset *>(p);
    bool falls = false;
    for (size_t i = 0; i < n; i++) falls |= offsets[i + 1] < offsets[i];
    return !falls && offsets[n] <= data_bytes;
}

}  // namespace cst
