// GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1, the field of RAID-6 (H. P. Anvin, The mathematics of RAID-6) and of ISA-L's
// erasure codes. Factors are public: they say where parities lie, not what is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cst {

uint8_t galois_product(uint8_t a, uint8_t b);
uint8_t galois_inverse(uint8_t a);  // a is not 0

// Rows, one after the other.
struct Matrix {
    size_t rows = 0, columns = 0;
    std::vector<uint8_t> at;

    Matrix(size_t r, size_t c) : rows(r), columns(c), at(r * c) {}
    uint8_t *row(size_t i) { return at.data() + i * columns; }
    const uint8_t *row(size_t i) const { return at.data() + i * columns; }
};

// Takes a matrix with at least as many rows as columns. Returns which rows, as many as columns, are independent, and
// the inverse of these; an empty list if there are not so many.
std::vector<size_t> invert(Matrix matrix, Matrix *inverse);

// Forms of a factor that kernels read (ladder/field.py): 8 bytes for v.multiply_bits, or its products with 0 to 15 and
// with 0 to 15 times x^4.
constexpr size_t BIT_MATRIX = 8, NIBBLE_PRODUCTS = 32;
void put_bit_matrix(uint8_t factor, uint8_t *to);
void put_nibble_products(uint8_t factor, uint8_t *to);

}  // namespace cst
