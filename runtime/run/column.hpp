// Columns: many items, contiguous in memory, under one key.
#pragma once

#include "../suite/key.hpp"

namespace cst {

// Item i is data[offset(i) .. offset(i + 1)); its digest or MAC goes to tags + i * stride.
struct Column {
    const Key *key;  // its suite has no cipher
    const uint8_t *data, *end;  // bytes between these may be read
    const void *offsets;  // size + 1 offsets, none less than the one before
    bool wide;  // offsets have 64 bits, else 32
    size_t size;
    uint8_t *tags;
    size_t tag_len, stride;

    uint64_t offset(size_t i) const {
        return wide ? static_cast<const uint64_t *>(offsets)[i] : static_cast<const uint32_t *>(offsets)[i];
    }
};

// Runs a column. Returns CST_OK, or CST_ERR_MEMORY: nothing was written. The memory that it takes does not depend on
// the column.
int run_column(const Column &column);

}  // namespace cst
