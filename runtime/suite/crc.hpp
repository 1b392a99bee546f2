// Checksums: cyclic redundancy checks of any polynomial P of 8 to 64 bits that has the term x^0, and Adler-32. All of
// their data is public.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../code/pack.hpp"

namespace cst {

// The parameters of the Rocksoft model. A register is a remainder of `width` bits; if reflected, its lowest bit is the
// term x^(width - 1).
struct Crc {
    uint32_t width = 0, reflected = 0;  // reflected: 0 or 1. Members have no padding between them: keys are compared
    uint64_t polynomial = 0, initial = 0, final = 0;  // polynomial: without x^width; initial: as a remainder
    uint64_t start = 0;  // the register before the first byte
    uint64_t modulus = 0;  // of Adler-32's sums, which are the halves of a register; 0: it is a remainder

    Crc() = default;
    Crc(uint32_t its_width, bool is_reflected, uint64_t its_polynomial, uint64_t its_initial, uint64_t its_final);
    explicit Crc(const AlgorithmRecord &checksum);

    bool sound() const {
        if (modulus) return width == 32 && modulus >> 16 == 0 && !reflected && fits(initial) && fits(final);
        return width >= 8 && width <= 64 && fits(polynomial) && fits(initial) && fits(final) && polynomial & 1;
    }
    bool fits(uint64_t value) const { return width >= 64 || value >> width == 0; }
    size_t bytes() const { return (width + 7) / 8; }
    // Returns the checksum of two texts, one after the other, the second of `second_bytes` bytes; arguments and result
    // are as digests have them.
    uint64_t combine(uint64_t first, uint64_t second, uint64_t second_bytes) const;
    // Updates a register bit by bit: the reference that kernels are tested against.
    uint64_t go_on(uint64_t at, const uint8_t *data, size_t bytes) const;
    // Updates a register of sums by those of a text (streams/adler32.j2): of its bytes, and of each times the number of
    // bytes from it to the end.
    uint64_t add_sums(uint64_t at, uint64_t bytes, uint64_t sum, uint64_t weighted) const {
        const uint64_t a = at & 0xffff, b = at >> 16 & 0xffff;
        return (b + bytes % modulus * a + weighted) % modulus << 16 | (a + sum) % modulus;
    }
};

// The factors by which kernels multiply (streams/crc.j2): the rows of the key; then a word for each number of bytes
// that may stand in front of a kernel's loop, from 0 to CRC_MOST_BLOCKS blocks, and one more word, since kernels read
// two.
constexpr uint32_t CRC_KEY = 13, CRC_MOST_BLOCKS = 16, CRC_PHASES = 16 * CRC_MOST_BLOCKS + 2,
                   CRC_ROWS = CRC_KEY + CRC_PHASES / 2;
// Bytes of a text that a kernel of sums takes at most in a call.
constexpr uint64_t MOST_SUMMED = 1 << 20;
void crc_rows(const Crc &crc, uint8_t (*rows)[16]);

}  // namespace cst
