// The offsets of a column: item i lies between offset i and offset i + 1.
#pragma once

#include "handles.hpp"

namespace cst {

// Checks an array of n + 1 offsets of offset_bytes bytes each, n > 0, before any offset is read.
inline int check_offset_array(const void *offsets, size_t offset_bytes, size_t n) {
    if (!offsets || reinterpret_cast<uintptr_t>(offsets) % offset_bytes) return CST_ERR_ARGUMENT;
    if (n >= SIZE_MAX / 2 / offset_bytes || Range(offsets, (n + 1) * offset_bytes).wraps()) return CST_ERR_LENGTH;
    return CST_OK;
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
