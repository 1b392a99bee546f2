// Multiples of points of edwards25519 in a single lane, in general registers. The lane's digits alone decide what is
// done, so that tables of the base point may be large, and public multipliers may skip digits that are 0.
#pragma once

#include <vector>

#include "numbers/scalar25519.hpp"
#include "point_lanes.hpp"

namespace cst {

// Operands of affine points, in words.
class OperandTable {
public:
    static constexpr size_t NUMBER_WORDS = 4, ENTRY_WORDS = PointOperand::NUMBERS * NUMBER_WORDS;
    void add(const AffinePoint &point);
    const uint64_t *entry(size_t i) const { return words_.data() + i * ENTRY_WORDS; }

private:
    std::vector<uint64_t> words_;
};

// Multiplies the base point by secrets: a comb, whose rows have 0 to MULTIPLES times 2^(the row's number times BITS)
// times it.
class PointComb {
public:
    static constexpr unsigned DIGIT_BITS = 5, BITS = 2 * DIGIT_BITS;
    static constexpr size_t DIGITS = 256 / DIGIT_BITS, ROWS = (DIGITS + 1) / 2, MULTIPLES = 1 << (DIGIT_BITS - 1);

    // points: 1 to MULTIPLES times the row's point, for all rows; avx2: whether there is AVX2.
    PointComb(const std::vector<AffinePoint> &points, bool avx2);
    // Adds the multiple to the lane's point. a is below the order.
    void add_multiple(PointLanes *lane, const Scalar25519 &a) const;

private:
    OperandTable table_;
    const bool avx2_;
};

// Adds multiples of the base point and of another one, by public numbers.
class PointSum {
public:
    static constexpr unsigned BASE_WIDTH = 8, WIDTH = 5;
    static constexpr size_t BASE_ENTRIES = 1 << (BASE_WIDTH - 2), ENTRIES = 1 << (WIDTH - 2);
    static_assert(ENTRIES <= MULTIPLES, "they are the lane's own table");

    // odd: of the base point, BASE_ENTRIES odd multiples from 1 on.
    explicit PointSum(const std::vector<AffinePoint> &odd);
    // Sets the lane's point to base times the base point plus `multiplier` times what it was. work is overwritten.
    void multiply(PointLanes *lane, const Scalar25519 &base, const Scalar25519 &multiplier,
                  std::vector<uint8_t> *work) const;

private:
    OperandTable table_;
};

}  // namespace cst
