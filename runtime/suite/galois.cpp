#include "galois.hpp"

#include <algorithm>

namespace cst {
namespace {

constexpr uint32_t POLYNOMIAL = 0x11d;

struct Powers {
    uint8_t of[2 * 255] = {}, exponent[256] = {};  // x^i; i

    constexpr Powers() {
        uint32_t power = 1;
        for (uint32_t i = 0; i < 255; i++) {
            of[i] = of[i + 255] = uint8_t(power);
            exponent[power] = uint8_t(i);
            power = power << 1 ^ (power >> 7) * POLYNOMIAL;
        }
    }
};
constexpr Powers powers;

// to += factor * from
void add_row(uint8_t *to, const uint8_t *from, uint8_t factor, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] ^= galois_product(from[i], factor);
}

}  // namespace

uint8_t galois_product(uint8_t a, uint8_t b) { return a && b ? powers.of[powers.exponent[a] + powers.exponent[b]] : 0; }

uint8_t galois_inverse(uint8_t a) { return powers.of[255 - powers.exponent[a]]; }

// Eliminates by Gauss and Jordan. Each row is reduced by the rows that were taken before; it is independent of them if
// anything is left of it.
std::vector<size_t> invert(Matrix matrix, Matrix *inverse) {
    const size_t n = matrix.columns;
    std::vector<size_t> taken, pivots;
    Matrix made(n, n);  // each reduced row by the rows that were taken
    for (size_t i = 0; i < matrix.rows && taken.size() < n; i++) {
        uint8_t *const row = matrix.row(i), *const its = made.row(taken.size());
        its[taken.size()] = 1;
        for (size_t j = 0; j < taken.size(); j++) {
            const uint8_t factor = row[pivots[j]];
            add_row(row, matrix.row(taken[j]), factor, n);
            add_row(its, made.row(j), factor, n);
        }
        size_t pivot = 0;
        while (pivot < n && !row[pivot]) pivot++;
        if (pivot == n) {
            std::fill(its, its + n, uint8_t(0));
            continue;
        }
        const uint8_t scale = galois_inverse(row[pivot]);
        for (size_t j = 0; j < n; j++) row[j] = galois_product(row[j], scale), its[j] = galois_product(its[j], scale);
        for (size_t j = 0; j < taken.size(); j++) {
            const uint8_t factor = matrix.row(taken[j])[pivot];
            add_row(matrix.row(taken[j]), row, factor, n);
            add_row(made.row(j), its, factor, n);
        }
        taken.push_back(i);
        pivots.push_back(pivot);
    }
    if (taken.size() < n) return {};
    *inverse = Matrix(n, n);
    for (size_t j = 0; j < n; j++) std::copy(made.row(j), made.row(j) + n, inverse->row(pivots[j]));
    return taken;
}

void put_bit_matrix(uint8_t factor, uint8_t *to) {
    for (uint32_t i = 0; i < 8; i++) to[i] = 0;
    for (uint32_t j = 0; j < 8; j++) {
        const uint8_t column = galois_product(factor, uint8_t(1 << j));
        for (uint32_t i = 0; i < 8; i++) to[7 - i] |= uint8_t((column >> i & 1) << j);
    }
}

void put_nibble_products(uint8_t factor, uint8_t *to) {
    for (uint32_t i = 0; i < 16; i++) {
        to[i] = galois_product(factor, uint8_t(i));
        to[16 + i] = galois_product(factor, uint8_t(i << 4));
    }
}

}  // namespace cst
