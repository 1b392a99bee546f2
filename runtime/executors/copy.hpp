// Copies a few bytes whose number the compiler does not know: a call of memcpy costs more than the copy.
#pragma once

#include <cstdint>
#include <cstring>

namespace cst {

// A caller's input.
struct Bytes {
    const uint8_t *data;
    size_t n;
};

// Writes a pointer into a field of a state block.
inline void put_pointer(uint8_t *to, const void *pointer) { memcpy(to, &pointer, sizeof(pointer)); }

// Stores two words at once, in the size of the later load: a processor does not forward several stores to one load.
typedef uint64_t TwoWords __attribute__((vector_size(16)));
inline void put_words(uint8_t *to, uint64_t low, uint64_t high) {
    const TwoWords words = {low, high};
    memcpy(to, &words, sizeof(words));
}
inline void put_zeros(uint8_t *to) { put_words(to, 0, 0); }
inline uint32_t load_big_endian(const uint8_t *from) {
    uint32_t word;
    memcpy(&word, from, sizeof(word));
    return __builtin_bswap32(word);
}
inline uint32_t load32(const uint8_t *from) {
    uint32_t word;
    memcpy(&word, from, sizeof(word));
    return word;
}
inline uint64_t load64(const uint8_t *from) {
    uint64_t word;
    memcpy(&word, from, sizeof(word));
    return word;
}

// Copies exactly n bytes; the last piece may overlap the one before.
inline void copy_few(uint8_t *to, const uint8_t *from, size_t n) {
    if (n >= 16) {
        size_t i = 0;
        for (; i + 64 <= n; i += 64) memcpy(to + i, from + i, 64);
        for (; i + 16 <= n; i += 16) memcpy(to + i, from + i, 16);
        memcpy(to + n - 16, from + n - 16, 16);
    } else if (n >= 8) {
        uint64_t first, last;
        memcpy(&first, from, 8);
        memcpy(&last, from + n - 8, 8);
        memcpy(to, &first, 8);
        memcpy(to + n - 8, &last, 8);
    } else {
        for (size_t i = 0; i < n; i++) to[i] = from[i];
    }
}

}  // namespace cst
