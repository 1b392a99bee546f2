// Masks of secrets: all bits are set where a condition holds, none where it does not. Values are below 2^31.
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>

namespace cst {

// Hides from the compiler what it knows of the value: it could make a branch of it.
inline uint32_t hidden(uint32_t value) {
    __asm__ volatile("" : "+r"(value));
    return value;
}

inline uint32_t mask_less(uint32_t a, uint32_t b) { return 0 - ((a - b) >> 31); }
inline uint32_t mask_equal(uint32_t a, uint32_t b) { return ~(mask_less(a, b) | mask_less(b, a)); }

// Returns a mask of 16 bytes, of which the first is at position `first`: it is set for the bytes before `end`.
inline __m128i mask_before(uint32_t first, uint32_t end) {
    const int32_t count = int32_t(end - first), positive = count & ~(count >> 31), excess = positive - 16;
    const __m128i places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm_cmpgt_epi8(_mm_set1_epi8(char(positive - (excess & ~(excess >> 31)))), places);
}

inline __m128i load_block(const uint8_t *from) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from)); }
inline void store_block(__m128i block, uint8_t *to) { _mm_storeu_si128(reinterpret_cast<__m128i *>(to), block); }

// Moves data[amount..amount + n) to its start; amount < 256. Reads data[0..n + 271), which is destroyed.
inline void shift_down(uint8_t *data, uint32_t amount, size_t n) {
    for (uint32_t step = 128; step; step >>= 1) {
        const __m128i mask = _mm_set1_epi32(int32_t(hidden(mask_equal(amount & step, step))));
        for (size_t i = 0; i < n + step - 1; i += 16)
            store_block(_mm_or_si128(_mm_and_si128(mask, load_block(data + i + step)),
                                     _mm_andnot_si128(mask, load_block(data + i))),
                        data + i);
    }
}

}  // namespace cst
