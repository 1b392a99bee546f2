#include "crc.hpp"

#include <cstring>

namespace cst {
namespace {

__attribute__((noinline)) uint64_t reversed(uint64_t value, uint32_t bits) {
    uint64_t result = 0;
    for (uint32_t i = 0; i < bits; i++, value >>= 1) result = result << 1 | (value & 1);
    return result;
}

// Computes remainders modulo P; bit i is x^i.
class Remainders {
public:
    explicit Remainders(const Crc &crc) : width_(crc.width), p_(crc.polynomial) {}

    uint64_t times_x(uint64_t a) const {
        const uint64_t top = a >> (width_ - 1) & 1, rest = a << 1 & (~uint64_t(0) >> (64 - width_));
        return rest ^ (p_ & (0 - top));
    }
    uint64_t over_x(uint64_t a) const {
        const uint64_t odd = a & 1;  // adding P makes it even
        return ((a ^ (p_ & (0 - odd))) >> 1) | odd << (width_ - 1);
    }
    __attribute__((noinline)) uint64_t times(uint64_t a, uint64_t b) const {
        uint64_t sum = 0;
        for (uint32_t i = width_; i--;) sum = times_x(sum) ^ (a & (0 - (b >> i & 1)));
        return sum;
    }
    // Returns x^n.
    __attribute__((noinline)) uint64_t power(uint64_t n) const {
        uint64_t result = 1, square = times_x(1);
        for (; n; n >>= 1, square = times(square, square))
            if (n & 1) result = times(result, square);
        return result;
    }

private:
    const uint32_t width_;
    const uint64_t p_;
};

class Rows {
public:
    Rows(const Crc &crc, uint8_t (*rows)[16]) : crc_(crc), remainders_(crc), rows_(rows) {}

    void put(uint32_t row, uint64_t low, uint64_t high) {
        memcpy(rows_[row], &low, 8);
        memcpy(rows_[row] + 8, &high, 8);
    }
    // Writes the row that multiplies by a power of x: that power over x, because products of reflected words are x
    // times as large.
    __attribute__((noinline)) void put_times(uint32_t row, uint64_t power) {
        const uint64_t above = remainders_.times(power, x64_);
        if (crc_.reflected) put(row, word(remainders_.over_x(above)), word(remainders_.over_x(power)));
        else put(row, power, above);
    }
    // Returns 64 bits as streams hold them.
    uint64_t word(uint64_t terms) const { return crc_.reflected ? reversed(terms, 64) : terms; }

    void fill() {
        memset(rows_, 0, CRC_ROWS * sizeof(*rows_));
        const uint32_t above = 64 - crc_.width;
        const uint64_t p = crc_.polynomial << above;  // the degree is 64 now: x^64 is not written
        // floor(x^128 / P) without x^64, by long division
        uint64_t quotient = 0, rest = p;
        for (int i = 64; i--;) {
            const uint64_t top = rest >> 63;
            quotient = quotient << 1 | top;
            rest = rest << 1 ^ (p & (0 - top));
        }
        uint64_t most = remainders_.times(x64_, remainders_.power(crc_.width));
        if (crc_.reflected) {
            put(0, word(remainders_.over_x(most) << above), 0);
            // without the lowest term, and with the highest
            put(1, word(quotient >> 1 | uint64_t(1) << 63), word(p >> 1 | uint64_t(1) << 63));
        } else {
            put(0, most << above, 0);
            put(1, quotient, p);
        }
        if (!above) put(2, 0, ~uint64_t(0));
        const uint64_t block = remainders_.times(x64_, x64_);
        uint64_t power = block;
        for (uint32_t row = 3; row < 9; row++, power = remainders_.times(power, power)) put_times(row, power);
        power = 1;
        for (uint32_t row = CRC_KEY; row-- > 9; power = remainders_.times(power, block)) put_times(row, power);
        put_phases();
    }

private:
    // Words that multiply by x^(8 i - 64), over x where products are x times as large.
    void put_phases() {
        uint64_t power = 1;
        for (uint32_t i = 0; i < 64 + crc_.reflected; i++) power = remainders_.over_x(power);
        uint8_t *to = rows_[CRC_KEY];
        for (uint32_t i = 0; i < CRC_PHASES; i++, to += 8) {
            const uint64_t phase = word(power);
            memcpy(to, &phase, 8);
            for (int bit = 0; bit < 8; bit++) power = remainders_.times_x(power);
        }
    }

    const Crc crc_;
    const Remainders remainders_;
    uint8_t (*const rows_)[16];
    const uint64_t x64_ = remainders_.power(64);
};

}  // namespace

Crc::Crc(uint32_t its_width, bool is_reflected, uint64_t its_polynomial, uint64_t its_initial, uint64_t its_final)
    : width(its_width),
      reflected(is_reflected),
      polynomial(its_polynomial),
      initial(its_initial),
      final(its_final),
      start(reflected && width <= 64 ? reversed(initial, width) : initial) {}

Crc::Crc(const AlgorithmRecord &checksum)
    : Crc(checksum.rounds, !(checksum.flags & ALGORITHM_BIG_ENDIAN), checksum.initial[0], checksum.initial[1],
          checksum.initial[2]) {
    if (checksum.sums()) modulus = checksum.initial[3];
}

uint64_t Crc::combine(uint64_t first, uint64_t second, uint64_t second_bytes) const {
    if (modulus) {  // the second text's sums began with those of no bytes, `start`
        const uint64_t a = first & 0xffff, less = modulus - (start & 0xffff) % modulus;
        const uint64_t sum = (a + (second & 0xffff) + less) % modulus;
        const uint64_t above = (first >> 16) + (second >> 16) + second_bytes % modulus * ((a + less) % modulus);
        return above % modulus << 16 | sum;
    }
    const Remainders remainders(*this);
    uint64_t before = first ^ final ^ start;
    if (reflected) before = reversed(before, width);
    before = remainders.times(before, remainders.power(8 * second_bytes));
    return second ^ (reflected ? reversed(before, width) : before);
}

uint64_t Crc::go_on(uint64_t at, const uint8_t *data, size_t bytes) const {
    if (modulus) {
        for (size_t i = 0; i < bytes; i++) at = add_sums(at, 1, data[i], data[i]);
        return at;
    }
    const Remainders remainders(*this);
    uint64_t remainder = reflected ? reversed(at, width) : at;
    for (size_t i = 0; i < 8 * bytes; i++) {
        const uint32_t place = uint32_t(reflected ? i % 8 : 7 - i % 8);
        remainder = remainders.times_x(remainder ^ uint64_t(data[i / 8] >> place & 1) << (width - 1));
    }
    return reflected ? reversed(remainder, width) : remainder;
}

void crc_rows(const Crc &crc, uint8_t (*rows)[16]) { Rows(crc, rows).fill(); }

}  // namespace cst
