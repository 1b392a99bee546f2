// Checksums by their definition, bit by bit or byte by byte: libcrypto has none.
#pragma once

#include <cstdint>
#include <string>

#include "random.hpp"

namespace soak {

struct Crc {
    const char *suite;
    int width;
    uint64_t polynomial, ends;  // ends: the register before the first byte, and what is added behind the last;
                                // polynomial: 0 of Adler-32 (RFC 1950, 8.2)
    bool reflected;
};

// G. Cook, "Catalogue of parametrised CRC algorithms"; NULL: none of that name.
inline const Crc *find_crc(const std::string &suite) {
    constexpr uint64_t ONES = ~uint64_t(0), ONES_32 = ONES >> 32;
    static const Crc ALL[] = {{"crc32c", 32, 0x1edc6f41, ONES_32, true},
                              {"crc32", 32, 0x04c11db7, ONES_32, true},
                              {"crc64-nvme", 64, 0xad93d23594c93659, ONES, true},
                              {"crc64-xz", 64, 0x42f0e1eba9ea3693, ONES, true},
                              {"crc32-bzip2", 32, 0x04c11db7, ONES_32, false},
                              {"crc16-t10-dif", 16, 0x8bb7, 0, false},
                              {"adler32", 32, 0, 1, false}};
    for (const Crc &crc : ALL)
        if (suite == crc.suite) return &crc;
    return nullptr;
}

inline Bytes crc_of(const Crc &crc, const Bytes &text) {
    if (!crc.polynomial) {
        uint32_t a = uint32_t(crc.ends), b = 0;
        for (const uint8_t byte : text) b = (b + (a = (a + byte) % 65521)) % 65521;
        return {uint8_t(b >> 8), uint8_t(b), uint8_t(a >> 8), uint8_t(a)};
    }
    const uint64_t top = uint64_t(1) << (crc.width - 1), mask = top | (top - 1);
    uint64_t value = crc.ends;
    for (const uint8_t byte : text)
        for (int i = 0; i < 8; i++) {
            const bool bit = byte >> (crc.reflected ? i : 7 - i) & 1, out = value & top;
            value = (value << 1 & mask) ^ (bit != out ? crc.polynomial : 0);
        }
    value ^= crc.ends;
    Bytes digest(size_t(crc.width / 8));
    for (int i = 0; i < crc.width; i++) {  // bit i is x^i
        const int at = crc.width - 1 - i;  // behind so many bits
        if (value >> i & 1) digest[size_t(at / 8)] |= uint8_t(1 << (crc.reflected ? at % 8 : 7 - at % 8));
    }
    return digest;
}

}  // namespace soak
