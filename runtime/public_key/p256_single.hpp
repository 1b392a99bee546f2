// Multiples of points of P-256 in a single lane, in general registers. The lane's digits alone decide what is done, so
// that tables of the base point may be large, and public multipliers may skip digits that are 0.
#pragma once

#include <vector>

#include "p256_digits.hpp"
#include "p256_lanes.hpp"

namespace cst {

// Several threads may share an object. Points and multipliers are those of P256Multiplication, which are taken by
// reference and left in the lane.
class P256SingleLane {
public:
    // A row has odd multiples of 2^(the row's number times BITS) times the base point, from 1 to 2 ENTRIES - 1.
    struct Comb {
        static constexpr unsigned BITS = 2 * P256CombDigits::BITS;
        static constexpr size_t ENTRIES = 32, DIGITS = P256CombDigits::DIGITS, ROWS = (DIGITS + 1) / 2;
    };
    struct Sums {
        static constexpr unsigned BASE_WIDTH = 8, WIDTH = 5;
        static constexpr size_t ENTRIES = 64;
        static_assert(P256_ENTRIES == 1 << (WIDTH - 2), "a lane's table has all odd multiples below 2^(WIDTH - 1)");
    };

    // points: of the comb's rows, or of the one row that sums need; avx2: whether there is AVX2.
    P256SingleLane(const std::vector<P256Point> &points, bool avx2);

    // Constant-time, but where the last addition is of equal points.
    void multiply(P256Lanes *lane, const Number256 &multiplier, const P256Point &point) const;
    void multiply_base(P256Lanes *lane, const Number256 &multiplier) const;
    // For public multipliers.
    void multiply_both(P256Lanes *lane, const Number256 &base, const Number256 &multiplier,
                       const P256Point &point) const;

private:
    static constexpr size_t ENTRY_WORDS = 2 * P256Limbs::WORDS;  // x, y

    // Sets the point that the lane adds next to a digit's multiple, of a table whose entries have so many words.
    template <size_t WORDS, typename Digits>
    void choose(P256Lanes *lane, const uint64_t *table, const Digits &digits, size_t at) const;

    void start(P256Lanes *lane, const uint64_t *entry) const;

    std::vector<uint64_t> table_;
    P256Limbs one_;
    const bool avx2_;
};

}  // namespace cst
