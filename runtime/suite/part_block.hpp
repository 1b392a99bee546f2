// A block of which only the first bytes are there: no others are read or written. Time depends on their number alone.
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cst {

// With zeros behind them. bytes: below 16.
inline __m128i load_part(const uint8_t *data, size_t bytes) {
    uint64_t low = 0, high = 0;
    uint32_t word, last;
    if (bytes > 8) {
        memcpy(&low, data, 8);
        memcpy(&high, data + bytes - 8, 8);
        high >>= 8 * (16 - bytes);
    } else if (bytes == 8) {
        memcpy(&low, data, 8);
    } else if (bytes >= 4) {
        memcpy(&word, data, 4);
        memcpy(&last, data + bytes - 4, 4);
        low = uint64_t(last) << 8 * (bytes - 4) | word;
    } else {
        for (size_t i = 0; i < bytes; i++) low |= uint64_t(data[i]) << 8 * i;
    }
    return _mm_set_epi64x(int64_t(high), int64_t(low));
}

inline void store_part(uint8_t *to, __m128i block, size_t bytes) {
    uint64_t low = uint64_t(_mm_cvtsi128_si64(block));
    if (bytes >= 8) {
        memcpy(to, &low, 8);
        low = uint64_t(_mm_cvtsi128_si64(_mm_unpackhi_epi64(block, block)));
        to += 8;
        bytes -= 8;
    }
    if (bytes >= 4) {
        memcpy(to, &low, 4);
        low >>= 32;
        to += 4;
        bytes -= 4;
    }
    for (; bytes; bytes--, low >>= 8) *to++ = uint8_t(low);
}

}  // namespace cst
