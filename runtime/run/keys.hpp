// Round keys, and rows of a MAC's key, in the lanes of a kernel.
#pragma once

#include "../select/variant.hpp"
#include "copy.hpp"

namespace cst {

// Copies of round keys name their register, so that the compiler leaves no row on the stack; registers are cleared when
// the call ends.
inline void copy_key_row(uint8_t *to, const uint8_t *from) {
    typedef uint8_t Row[16];
    __asm__("movups %1, %%xmm0\n\tmovups %%xmm0, %0"
            : "=m"(*reinterpret_cast<Row *>(to))
            : "m"(*reinterpret_cast<const Row *>(from))
            : "xmm0");
}

template <uint32_t rows>
inline void copy_key_rows(uint8_t *to, size_t stride, const uint8_t *from) {
#pragma GCC unroll 16
    for (uint32_t i = 0; i < rows; i++) copy_key_row(to + i * stride, from + i * 16);
}

// The usual numbers of rows are straight code.
inline void copy_key_rows(uint8_t *to, size_t stride, const uint8_t *from, uint32_t rows) {
    switch (rows) {
        case 11: return copy_key_rows<11>(to, stride, from);
        case 13: return copy_key_rows<13>(to, stride, from);
        case 15: return copy_key_rows<15>(to, stride, from);
        default:
            for (uint32_t i = 0; i < rows; i++) copy_key_row(to + i * stride, from + i * 16);
    }
}

// The keys of a part of a kernel, for a run of calls: a lane that goes on with the key that it has is left alone.
class LaneKeys {
public:
    LaneKeys(const Part &part, uint8_t *state) : part_(part), state_(state) {
        for (size_t i = 0; i < part.lanes.size(); i++) has_[i] = nullptr;
    }
    // One key for all lanes.
    void share(const uint8_t *rows) const {
        for (uint32_t copy : part_.key_copies) copy_key_rows(state_ + copy, part_.key_row_bytes, rows, part_.key_rows);
    }
    void put(uint32_t lane, const uint8_t *rows) {
        const uint32_t place = part_.lanes[lane].key;
        if (place == NO_FIELD || has_[lane] == rows) return;
        copy_key_rows(state_ + place, part_.key_row_bytes, rows, part_.key_rows);
        has_[lane] = rows;
    }

private:
    const Part &part_;
    uint8_t *const state_;
    const uint8_t *has_[MAX_LANES];
};

}  // namespace cst
