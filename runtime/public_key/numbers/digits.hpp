// Digits of multipliers, and entries of tables that they choose, where a single lane multiplies.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

// Digits in the non-adjacent form of width w (J. Solinas, Efficient Arithmetic on Koblitz Curves, 2000, 4): odd ones
// below 2^(w - 1), positive or negative, of which any w in a row have one at most, and zeros. Public numbers only.
class SparseDigits {
public:
    static constexpr size_t MOST = 257;
    // words: of 256 bits, the lowest first; width: up to 8.
    SparseDigits(const uint64_t (&words)[4], unsigned width);
    // Behind the highest digit that is not 0.
    size_t end() const { return end_; }
    int operator[](size_t i) const { return digit_[i]; }

private:
    size_t end_ = 0;
    int8_t digit_[MOST] = {};
};

// Copies an entry of WORDS words, 8, 12 or 20, of a table in constant time: every entry is read. avx2: by vectors of 32
// bytes.
template <size_t WORDS>
void read_entry(const uint64_t *table, size_t entries, size_t index, bool avx2, uint64_t *out);

}  // namespace cst
