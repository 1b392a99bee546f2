// Many items that lie one behind the other, under one key.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../suite/key.hpp"

namespace cst {

// Item i is data[offset(i) .. offset(i + 1)); its digest or MAC goes to tags + i * stride.
struct Column {
    const Key *key;  // of a suite without a cipher
    const uint8_t *data, *end;  // what lies between may be read
    const void *offsets;  // size + 1, that do not fall
    bool wide;  // of 64 bits, else of 32
    size_t size;
    uint8_t *tags;
    size_t tag_len, stride;

    uint64_t offset(size_t i) const {
        return wide ? static_cast<const uint64_t *>(offsets)[i] : static_cast<const uint32_t *>(offsets)[i];
    }
};

// CST_OK, or CST_ERR_MEMORY: nothing has happened. What it takes of memory does not depend on the column.
int run_column(const Column &column);

}  // namespace cst
