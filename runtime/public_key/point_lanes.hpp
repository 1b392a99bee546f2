// Points of edwards25519 in lanes (templates/streams/edwards25519.j2).
#pragma once

#include <iterator>
#include <memory>
#include <vector>

#include "numbers/edwards25519.hpp"
#include "number_lanes.hpp"

namespace cst {

enum class PointOperation { twice, add, add_own, add_common, cached, square, multiply, add_mixed };
constexpr size_t POINT_OPERATIONS = 8;
// Tables have 0 to MULTIPLES times a point, for a digit from -MULTIPLES to MULTIPLES.
constexpr size_t MULTIPLES = 8;

// Numbers of a lane's chain, and of its key: of another point Y + X, Y - X, 2 Z and 2 d T, then 2 d, and the lane's own
// table of such points.
struct PointChain {
    enum { E, F, G, H, N, NUMBERS };
};
struct PointKey {
    enum { SUM, DIFFERENCE, TWICE_Z, PRODUCT, POINT, TWICE_D = POINT, OWN, NUMBERS = OWN + (MULTIPLES + 1) * POINT };
};

// Numbers in the limbs of all kernels.
class NumberTable {
public:
    NumberTable() = default;
    explicit NumberTable(const std::vector<Number25519> &numbers);
    // Returns the limbs of number i and of those behind it.
    const uint64_t *from(size_t limbs, size_t i) const;

private:
    std::vector<uint64_t> limbs_[std::size(NUMBER_WIDTHS)];
};
// add_common reads the operands of 0 to MULTIPLES times a point.
constexpr size_t COMMON_NUMBERS = (MULTIPLES + 1) * PointOperand::NUMBERS;

extern const NumberLayout ED25519_LAYOUT;

class PointLanes : public NumberLanes {
public:
    explicit PointLanes(const NumberKernels &kernels);
    ~PointLanes();

    void run(PointOperation operation, uint64_t iterations = 1) { run_operation(size_t(operation), iterations); }

    // Sets every lane to the neutral point.
    void make_neutral() { restore(neutral_.get()); }
    void put_point(size_t lane, const AffinePoint &point);
    ChainPoint point(size_t lane) const;
    void put_number(size_t lane, const Number25519 &n) { put_number(lane, PointChain::N, n); }
    Number25519 number(size_t lane) const { return number(lane, PointChain::N); }
    // The digit that add_own and add_common take.
    void put_digit(size_t lane, int digit);
    // Sets the table for all lanes to COMMON_NUMBERS of these numbers, from number i on.
    void put_common(const NumberTable &numbers, size_t i) {
        put_table([&](size_t limbs) { return numbers.from(limbs, i); });
    }

    // Copies what `cached` left to the keys: as the point of an addition, or as a multiple in the lanes' own tables.
    void take_point() { copy_to_keys(PointKey::SUM, PointKey::POINT); }
    void take_multiple(size_t multiple) { copy_to_keys(PointKey::OWN + multiple * PointKey::POINT, PointKey::POINT); }

    // Raises N to 2^252 - 3 in every lane. Overwrites the first number of the key.
    void raise();

private:
    void put_number(size_t lane, size_t number, const Number25519 &n);
    Number25519 number(size_t lane, size_t number) const;

    std::unique_ptr<uint8_t[]> neutral_, kept_;
};

}  // namespace cst
