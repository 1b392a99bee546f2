#include "point_single.hpp"

#include <algorithm>
#include <cstring>

#include "../suite/secret.hpp"
#include "numbers/digits.hpp"

namespace cst {
namespace {

constexpr size_t WORDS = OperandTable::NUMBER_WORDS, NUMBER = WORDS * sizeof(uint64_t);

// Sets out = (2 p - a where mask is all ones, else a), of a number below 2 p = 2^256 - 38. They may overlap.
void negate_where(uint64_t mask, const uint64_t *a, uint64_t *out) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < WORDS; i++) {
        const unsigned __int128 less = (unsigned __int128)(i ? ~uint64_t(0) : 0 - uint64_t(38)) - a[i] - borrow;
        borrow = uint64_t(less >> 64) & 1;
        out[i] = (uint64_t(less) & mask) | (a[i] & ~mask);
    }
}

// Sets the point that the lane adds next to the one whose numbers these are, or to the negative one: the sum and the
// difference change places.
void put_other(PointLanes *lane, const uint64_t *sum, const uint64_t *difference, const uint64_t *product,
               bool negate) {
    memcpy(lane->key_limbs(PointKey::SUM), negate ? difference : sum, NUMBER);
    memcpy(lane->key_limbs(PointKey::DIFFERENCE), negate ? sum : difference, NUMBER);
    negate_where(0 - uint64_t(negate), product, lane->key_limbs(PointKey::PRODUCT));
}

// Sets the point that the lane adds next to a multiple, of a row of 0 to PointComb::MULTIPLES times a point, in
// constant time.
void choose_other(PointLanes *lane, const uint64_t *row, int digit, bool avx2) {
    const uint64_t negative = uint64_t(int64_t(digit) >> 63), size = (uint64_t(int64_t(digit)) ^ negative) - negative;
    uint64_t *const sum = lane->key_limbs(PointKey::SUM), *const difference = sum + WORDS;
    uint64_t *const product = difference + WORDS;  // at first
    read_entry<OperandTable::ENTRY_WORDS>(row, PointComb::MULTIPLES + 1, size, avx2, sum);
    for (size_t i = 0; i < WORDS; i++) {
        const uint64_t exchanged = (sum[i] ^ difference[i]) & negative;
        sum[i] ^= exchanged;
        difference[i] ^= exchanged;
    }
    negate_where(negative, product, lane->key_limbs(PointKey::PRODUCT));
}

}  // namespace

void OperandTable::add(const AffinePoint &point) {
    for (const Number25519 &number : operand_of(point).number) {
        words_.resize(words_.size() + WORDS);
        put_number(number, reinterpret_cast<uint8_t *>(&*words_.end() - WORDS));
    }
}

PointComb::PointComb(const std::vector<AffinePoint> &points, bool avx2) : avx2_(avx2) {
    for (size_t i = 0; i < points.size(); i++) {
        if (i % MULTIPLES == 0) table_.add(neutral_point());
        table_.add(points[i]);
    }
}

// A comb of two teeth: the sum over odd digits, 32 times, and that over even ones.
void PointComb::add_multiple(PointLanes *lane, const Scalar25519 &a) const {
    int8_t digits[DIGITS];
    put_digits(a, DIGIT_BITS, digits);
    for (const size_t odd : {1, 0}) {
        for (size_t row = 0; row < ROWS - odd; row++) {
            choose_other(lane, table_.entry(row * (MULTIPLES + 1)), digits[2 * row + odd], avx2_);
            lane->run(PointOperation::add_mixed);
        }
        if (odd) lane->run(PointOperation::twice, DIGIT_BITS);
    }
    wipe(digits, sizeof(digits));
}

PointSum::PointSum(const std::vector<AffinePoint> &odd) {
    for (const AffinePoint &point : odd) table_.add(point);
}

// Horner's rule, for the digits of both numbers that are not 0.
void PointSum::multiply(PointLanes *lane, const Scalar25519 &base, const Scalar25519 &multiplier,
                        std::vector<uint8_t> *work) const {
    work->resize(lane->saved_bytes());
    lane->save(work->data());
    lane->run(PointOperation::twice);
    lane->run(PointOperation::cached);
    lane->take_point();
    lane->restore(work->data());
    for (size_t i = 0; i < ENTRIES; i++) {
        if (i) lane->run(PointOperation::add);
        lane->save(work->data());
        lane->run(PointOperation::cached);
        lane->take_multiple(i);
        lane->restore(work->data());
    }
    lane->make_neutral();

    const SparseDigits base_digits(base.word, BASE_WIDTH), digits(multiplier.word, WIDTH);
    const size_t end = std::max(base_digits.end(), digits.end());
    size_t doublings = 0;
    const auto add = [&](PointOperation operation) {
        if (doublings) lane->run(PointOperation::twice, doublings);
        lane->run(operation);
        doublings = 0;
    };
    for (size_t at = end; at--;) {
        doublings += at != end - 1;
        if (const int digit = digits[at]) {
            const size_t own = PointKey::OWN + size_t(abs(digit)) / 2 * PointKey::POINT;
            put_other(lane, lane->key_limbs(own + PointKey::SUM), lane->key_limbs(own + PointKey::DIFFERENCE),
                      lane->key_limbs(own + PointKey::PRODUCT), digit < 0);
            memcpy(lane->key_limbs(PointKey::TWICE_Z), lane->key_limbs(own + PointKey::TWICE_Z), NUMBER);
            add(PointOperation::add);
        }
        if (const int digit = base_digits[at]) {
            const uint64_t *const entry = table_.entry(size_t(abs(digit)) / 2);
            put_other(lane, entry, entry + WORDS, entry + 2 * WORDS, digit < 0);
            add(PointOperation::add_mixed);
        }
    }
    if (doublings) lane->run(PointOperation::twice, doublings);
}

}  // namespace cst
