// Masks of secrets: all bits set where something holds, none where it does not. Values are below 2^31.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

// The compiler must not know what it knows of the value: it could make a branch of it.
inline uint32_t hidden(uint32_t value) {
    __asm__ volatile("" : "+r"(value));
    return value;
}

inline uint32_t mask_less(uint32_t a, uint32_t b) { return 0 - ((a - b) >> 31); }
inline uint32_t mask_equal(uint32_t a, uint32_t b) { return ~(mask_less(a, b) | mask_less(b, a)); }
inline uint8_t choose(uint8_t mask, uint8_t yes, uint8_t no) { return uint8_t(no ^ (mask & (yes ^ no))); }

// Moves data[amount..amount + n) to its start; amount < 256. Reads data[0..n + 255), which is destroyed.
inline void shift_down(uint8_t *data, uint32_t amount, size_t n) {
    for (uint32_t step = 128; step; step >>= 1) {
        const uint8_t mask = uint8_t(hidden(mask_equal(amount & step, step)));
        for (size_t i = 0; i < n + step - 1; i++) data[i] = choose(mask, data[i + step], data[i]);
    }
}

}  // namespace cst
