#include "digits.hpp"

#include <cstring>

namespace cst {

SparseDigits::SparseDigits(const uint64_t (&words)[4], unsigned width) {
    const auto bits = [&](size_t at, unsigned n) {  // n from bit `at` on
        const size_t word = at / 64, shift = at % 64;
        if (word >= 4) return 0u;
        uint64_t its = words[word] >> shift;
        if (shift && word < 3) its |= words[word + 1] << (64 - shift);
        return unsigned(its & ((1u << n) - 1));
    };
    unsigned carry = 0;
    for (size_t i = 0; i < MOST;) {
        if (bits(i, 1) == carry) {
            i++;
            continue;
        }
        const unsigned digit = bits(i, width) + carry;
        carry = digit >> (width - 1);
        digit_[i] = int8_t(int(digit) - int(carry << width));
        end_ = i + 1;
        i += width;
    }
}

namespace {

// VECTOR and INDICES: vectors of words of 64 bits, and of as many bytes in words of 32.
template <size_t WORDS, typename VECTOR, typename INDICES>
__attribute__((always_inline)) inline void read(const uint64_t *table, size_t entries, size_t index, uint64_t *out) {
    constexpr size_t N = WORDS * sizeof(uint64_t) / sizeof(VECTOR);
    const INDICES wanted = uint32_t(index) - INDICES{};
    INDICES at = {};
    VECTOR sum[N] = {};
#pragma GCC unroll 2
    for (size_t i = 0; i < entries; i++, at += 1, table += WORDS) {
        const VECTOR mask = VECTOR(at == wanted);
#pragma GCC unroll 10
        for (size_t n = 0; n < N; n++) {
            VECTOR its;
            memcpy(&its, table + n * WORDS / N, sizeof(its));
            sum[n] |= mask & its;
        }
    }
    memcpy(out, sum, sizeof(sum));
}

template <size_t WORDS>
__attribute__((target("avx2"))) void read_avx2(const uint64_t *table, size_t entries, size_t index, uint64_t *out) {
    typedef uint64_t Words __attribute__((vector_size(32)));
    typedef uint32_t Indices __attribute__((vector_size(32)));
    read<WORDS, Words, Indices>(table, entries, index, out);
}

}  // namespace

template <size_t WORDS>
void read_entry(const uint64_t *table, size_t entries, size_t index, bool avx2, uint64_t *out) {
    typedef uint64_t Words __attribute__((vector_size(16)));
    typedef uint32_t Indices __attribute__((vector_size(16)));
    if (avx2) read_avx2<WORDS>(table, entries, index, out);
    else read<WORDS, Words, Indices>(table, entries, index, out);
}

template void read_entry<8>(const uint64_t *, size_t, size_t, bool, uint64_t *);
template void read_entry<12>(const uint64_t *, size_t, size_t, bool, uint64_t *);
template void read_entry<20>(const uint64_t *, size_t, size_t, bool, uint64_t *);

}  // namespace cst
