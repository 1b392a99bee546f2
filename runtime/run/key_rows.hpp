// Copies of the rows of a key to a state block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cst {

constexpr size_t KEY_ROW = 16;

// Copies of round keys name their register, so that the compiler leaves no row on the stack; registers are cleared when the call ends.
inline void copy_row(uint8_t *to, const uint8_t *from) {
    typedef uint8_t Row[KEY_ROW];
    __asm__("movups %1, %%xmm0\n\tmovups %%xmm0, %0" : "=m"(*reinterpret_cast<Row *>(to)) : "m"(*reinterpret_cast<const Row *>(from)) : "xmm0");
}
inline void copy_two_rows(uint8_t *to, const uint8_t *from) {
    typedef uint8_t Rows[2 * KEY_ROW];
    __asm__("vmovdqu %1, %%ymm0\n\tvmovdqu %%ymm0, %0" : "=m"(*reinterpret_cast<Rows *>(to)) : "m"(*reinterpret_cast<const Rows *>(from)) : "xmm0");
}

// How the rows of a lane's key lie in the state block. by_two: together, in front of AVX code; before legacy SSE dirty upper halves would cost time.
enum class Lie { apart, together, by_two };

template <uint32_t rows, Lie lie>
inline void copy_rows(uint8_t *to, size_t stride, const uint8_t *from) {
    uint32_t i = 0;
    if constexpr (lie == Lie::by_two)
#pragma GCC unroll 8
        for (; i + 1 < rows; i += 2) copy_two_rows(to + i * KEY_ROW, from + i * KEY_ROW);
#pragma GCC unroll 16
    for (; i < rows; i++) copy_row(to + i * (lie == Lie::apart ? stride : KEY_ROW), from + i * KEY_ROW);
}

// So many that lie together on both sides. Those of the smallest kernels without a call; the others the C library stores several at a time: kernels that read
// several at once wait for the caches unless they were stored so.
inline void copy_rows(uint8_t *to, const uint8_t *from, uint32_t rows) {
    switch (rows) {
        case 8: return copy_rows<8, Lie::together>(to, KEY_ROW, from);
        case 11: return copy_rows<11, Lie::together>(to, KEY_ROW, from);
        case 15: return copy_rows<15, Lie::together>(to, KEY_ROW, from);
        default: memcpy(to, from, KEY_ROW * rows);
    }
}

}  // namespace cst
