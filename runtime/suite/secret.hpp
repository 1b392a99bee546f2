// Handling of secrets: no branch and no address depends on them, and they do not stay in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cst {

// Zeroes memory; the compiler may not leave it out.
inline void wipe(void *data, size_t size) {
    if (!size) return;
    memset(data, 0, size);
    __asm__ volatile("" : : "r"(data) : "memory");
}

// Zeroes a few rows, for which a call of memset would take longer.
inline void wipe_rows(uint8_t (*rows)[16], size_t n) {
    typedef uint64_t TwoWords __attribute__((vector_size(16)));
    const TwoWords zero = {0, 0};
    for (size_t i = 0; i < n; i++) {
        memcpy(rows[i], &zero, sizeof(zero));
        __asm__ volatile("" : : "r"(rows) : "memory");
    }
}
inline void wipe_rows(uint8_t *data, size_t bytes) {
    constexpr size_t ROW = 16, AT_ONCE = 4 * ROW;
    uint8_t *const end = data + bytes;
    for (; size_t(end - data) >= AT_ONCE; data += AT_ONCE)
        wipe_rows(reinterpret_cast<uint8_t (*)[ROW]>(data), AT_ONCE / ROW);
    for (; size_t(end - data) >= ROW; data += ROW) wipe_rows(reinterpret_cast<uint8_t (*)[ROW]>(data), 1);
}

// Returns 1 if the bytes are equal, 0 if not; reads every byte.
inline uint32_t same_bytes(const uint8_t *a, const uint8_t *b, size_t size) {
    uint64_t words = 0, x, y;
    uint32_t difference = 0;
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        words |= x ^ y;
    }
    for (; i < size; i++) difference |= uint32_t(a[i] ^ b[i]);
    words |= words >> 32;
    difference |= uint32_t(words & 0xffff) | uint32_t(words >> 16 & 0xffff);  // below 2^31
    __asm__ volatile("" : "+r"(difference));
    return (difference - 1) >> 31;
}

// Checks PKCS#7 in the last 16 bytes of a text: returns the number of padding bytes (1..16), or 0 if they are wrong.
inline uint32_t padding_bytes(const uint8_t *last_block) {
    const uint32_t count = last_block[15];
    uint32_t wrong = ((count - 1) | (16 - count)) >> 31;  // 1 when count is 0 or more than 16
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t inside = (15 - i - count) >> 31;  // 1 when byte i is one of the last `count`
        wrong |= inside * (uint32_t(last_block[i]) ^ count);
    }
    __asm__ volatile("" : "+r"(wrong));
    return count & (0 - ((wrong - 1) >> 31));
}

}  // namespace cst
