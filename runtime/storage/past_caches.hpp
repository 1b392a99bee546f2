// Copies with non-temporal stores (CST_STREAMING): whole lines go to memory without being read first, and push nothing
// out of the caches. All x86-64 CPUs have these instructions.
#pragma once

#include <emmintrin.h>

#include <cstdint>
#include <cstring>

namespace cst {

// Stores a word at any address.
inline void put_past_caches(uint8_t *to, uint64_t word) {
    _mm_stream_si64(reinterpret_cast<long long *>(to), static_cast<long long>(word));
}

// Copies n bytes. Copies that follow one another in memory, at multiples of 8 bytes, fill whole lines together; the
// bytes in front of the first such multiple and behind the last are stored as usual.
inline void copy_past_caches(uint8_t *to, const uint8_t *from, size_t n) {
    const auto bytes = [&](size_t some) {
        memcpy(to, from, some);
        to += some, from += some, n -= some;
    };
    const auto word = [&] {
        uint64_t its;
        memcpy(&its, from, sizeof(its));
        put_past_caches(to, its);
        to += 8, from += 8, n -= 8;
    };
    const size_t before = -reinterpret_cast<uintptr_t>(to) & 7;
    bytes(before < n ? before : n);
    if (n >= 8 && reinterpret_cast<uintptr_t>(to) & 8) word();
#pragma GCC unroll 4
    for (; n >= 16; to += 16, from += 16, n -= 16)
        _mm_stream_si128(reinterpret_cast<__m128i *>(to), _mm_loadu_si128(reinterpret_cast<const __m128i *>(from)));
    if (n >= 8) word();
    bytes(n);
}

// Makes what was copied visible to other threads before anything that is stored later.
inline void end_past_caches() { _mm_sfence(); }

}  // namespace cst
