#include "point_lanes.hpp"

#include <algorithm>
#include <cstring>

#include "../suite/secret.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

constexpr size_t KEPT = 4;  // powers, while a number is raised

constexpr unsigned bit(PointOperation operation) noexcept { return 1u << unsigned(operation); }
constexpr unsigned ALL_NEED = bit(PointOperation::twice) | bit(PointOperation::add) | bit(PointOperation::cached) |
                              bit(PointOperation::square) | bit(PointOperation::multiply);

}  // namespace

const NumberLayout ED25519_LAYOUT = {"ed25519",
                                     {"ed25519_double", "ed25519_add", "ed25519_add_own", "ed25519_add_common",
                                      "ed25519_cached", "ed25519_square", "ed25519_multiply", "ed25519_add_mixed"},
                                     POINT_OPERATIONS,
                                     PointChain::NUMBERS,
                                     PointKey::NUMBERS,
                                     COMMON_NUMBERS,
                                     ALL_NEED | bit(PointOperation::add_own) | bit(PointOperation::add_common),
                                     ALL_NEED | bit(PointOperation::add_mixed)};

NumberTable::NumberTable(const std::vector<Number25519> &numbers) {
    for (const Number25519 &number : numbers) {
        uint8_t bytes[POINT_BYTES];
        put_number(number, bytes);
        for (size_t w = 0; w < std::size(NUMBER_WIDTHS); w++) {
            std::vector<uint64_t> &limbs = limbs_[w];
            limbs.resize(limbs.size() + NUMBER_WIDTHS[w]);
            uint64_t *const to = limbs.data() + limbs.size() - NUMBER_WIDTHS[w];
            put_limbs(bytes, reinterpret_cast<uint8_t *>(to), NUMBER_WIDTHS[w], sizeof(*to));
        }
    }
}

const uint64_t *NumberTable::from(size_t limbs, size_t i) const {
    const auto *const width = std::find(std::begin(NUMBER_WIDTHS), std::end(NUMBER_WIDTHS), limbs);
    return limbs_[width - std::begin(NUMBER_WIDTHS)].data() + i * limbs;
}

PointLanes::PointLanes(const NumberKernels &kernels) : NumberLanes(kernels) {
    for (size_t i = 0; i < lanes(); i++) put_key(i, PointKey::TWICE_D, TWICE_D_25519);
    for (size_t i = 0; i < lanes(); i++) put_point(i, neutral_point());
    neutral_ = std::make_unique<uint8_t[]>(saved_bytes());
    kept_ = std::make_unique<uint8_t[]>(KEPT * saved_bytes());
    save(neutral_.get());
}

PointLanes::~PointLanes() { wipe(kept_.get(), KEPT * saved_bytes()); }

void PointLanes::put_number(size_t lane, size_t number, const Number25519 &n) {
    uint8_t bytes[POINT_BYTES];
    cst::put_number(n, bytes);
    put_chain(lane, number, bytes);
    wipe(bytes, sizeof(bytes));
}

Number25519 PointLanes::number(size_t lane, size_t number) const {
    return number_from_limbs(chain(lane, number), limbs(lane), pitch(lane));
}

void PointLanes::put_point(size_t lane, const AffinePoint &point) {
    put_number(lane, PointChain::E, point.x);
    for (const size_t number : {PointChain::F, PointChain::G}) put_chain(lane, number, ONE_25519);
    put_number(lane, PointChain::H, point.y);
}

ChainPoint PointLanes::point(size_t lane) const {
    return {number(lane, PointChain::E), number(lane, PointChain::F), number(lane, PointChain::G),
            number(lane, PointChain::H)};
}

void PointLanes::put_digit(size_t lane, int digit) {
    const uint64_t sign = uint64_t(int64_t(digit)) >> 63;
    put_words(lane, {(uint64_t(int64_t(digit)) ^ (0 - sign)) + sign, sign});
}

// Exponents are runs of ones, and 2^252 - 3 is 2^250 - 1, twice doubled, and 1. Each step squares, then multiplies by
// what an earlier step kept.
void PointLanes::raise() {
    static constexpr struct {
        uint8_t squares;
        int8_t times, keep;  // kept[0]: N itself; -1: none
    } steps[] = {{1, -1, 1},    // 2
                 {2, 0, 2},     // 9
                 {0, 1, 3},     // 11
                 {1, 2, 1},     // 31: 5 ones
                 {5, 1, 2},     // 10
                 {10, 2, 3},    // 20
                 {20, 3, -1},   // 40
                 {10, 2, 1},    // 50
                 {50, 1, 2},    // 100
                 {100, 2, -1},  // 200
                 {50, 1, -1},   // 250
                 {2, 0, -1}};
    save(kept_.get());
    for (const auto &step : steps) {
        if (step.squares) run(PointOperation::square, step.squares);
        if (step.times >= 0) {
            take_factor(kept_.get() + size_t(step.times) * saved_bytes(), PointChain::N);
            run(PointOperation::multiply);
        }
        if (step.keep >= 0) save(kept_.get() + size_t(step.keep) * saved_bytes());
    }
}

}  // namespace cst
