#include "p256_single.hpp"

#include <algorithm>

#include "numbers/digits.hpp"

namespace cst {
namespace {

constexpr size_t WORDS = P256Limbs::WORDS;

Number256 number_at(const uint64_t *words) { return {{words[0], words[1], words[2], words[3]}}; }

}  // namespace

P256SingleLane::P256SingleLane(const std::vector<P256Point> &points, bool avx2)
    : one_(p256_field().one(), WORDS), avx2_(avx2) {
    table_.reserve(points.size() * ENTRY_WORDS);
    for (const P256Point &point : points)
        for (const Residue256 *number : {&point.x, &point.y}) {
            const P256Limbs its(*number, WORDS);
            table_.insert(table_.end(), its.of, its.of + WORDS);
        }
}

template <size_t ENTRY, typename Digits>
void P256SingleLane::choose(P256Lanes *lane, const uint64_t *table, const Digits &digits, size_t at) const {
    uint64_t *const other = lane->key_limbs(P256Key::OTHER), *const its_y = other + WORDS * P256Chain::Y;
    read_entry<ENTRY>(table, size_t(1) << (Digits::BITS - 1), digits.index(at), avx2_, other);
    Number256 y = number_at(its_y);
    if (ENTRY != ENTRY_WORDS) y = p256_field().reduced(y);  // of affine points it is
    const Number256 signed_y = chosen(0 - digits.negative(at), p256_field().less(y), y);
    memcpy(its_y, signed_y.word, sizeof(signed_y.word));
}

void P256SingleLane::start(P256Lanes *lane, const uint64_t *entry) const {
    lane->put_chain_limbs(0, P256Chain::X, entry);
    lane->put_chain_limbs(0, P256Chain::Y, entry + WORDS);
    lane->put_chain_limbs(0, P256Chain::Z, one_.of);
}

void P256SingleLane::multiply(P256Lanes *lane, const Number256 &multiplier, const P256Point &point) const {
    constexpr size_t ENTRIES = 1 << (P256SingleDigits::BITS - 1), ENTRY = P256Chain::NUMBERS * WORDS;
    const P256SingleDigits digits(multiplier);
    WipedVector<uint64_t> table(ENTRIES * ENTRY);
    lane->put_point(0, point);
    lane->odd_multiples(ENTRIES,
                        [&](size_t i) { memcpy(&table[i * ENTRY], lane->cached(), ENTRY * sizeof(uint64_t)); });
    lane->put_point(0, negative_where(0 - digits.flipped(), point));
    for (size_t at = P256SingleDigits::DIGITS - 1; at--;) {
        choose<ENTRY>(lane, table.data(), digits, at);
        lane->run_operation(DOUBLE, P256SingleDigits::BITS);
        lane->run_operation(ADD, 1);
    }
}

// A comb of two teeth: the sum over odd digits, 64 times, and that over even ones. No addition but the last one may be
// of equal or opposite points, or to the neutral one. Among odd digits each sum is a multiple of 2^12 times the next
// digit's power of 2, and below the order. A sum with even digits has exactly six factors of 2, because all odd digits
// are in it and the last even one is not: it differs from a multiple that has more of them or none, and since the
// difference is below twice the order and even, it is no multiple of the order.
void P256SingleLane::multiply_base(P256Lanes *lane, const Number256 &multiplier) const {
    const P256CombDigits digits(multiplier);
    const size_t odd = Comb::DIGITS / 2;
    for (size_t i = 0; i < Comb::DIGITS; i++) {
        const size_t row = (i < odd ? odd : Comb::DIGITS) - 1 - i;
        if (i == odd) lane->run_operation(DOUBLE, P256CombDigits::BITS);
        choose<ENTRY_WORDS>(lane, &table_[row * Comb::ENTRIES * ENTRY_WORDS], digits, 2 * row + (i < odd));
        if (i) lane->run_operation(ADD_MIXED, 1);
        else start(lane, lane->key_limbs(P256Key::OTHER));
    }
}

// Horner's rule, for the digits of both multipliers that are not 0.
void P256SingleLane::multiply_both(P256Lanes *lane, const Number256 &base, const Number256 &multiplier,
                                   const P256Point &point) const {
    lane->put_point(0, point);
    lane->make_own_tables();
    const SparseDigits base_digits(base.word, Sums::BASE_WIDTH), digits(multiplier.word, Sums::WIDTH);
    uint64_t *const other = lane->key_limbs(P256Key::OTHER);
    bool started = false;
    size_t doublings = 0;
    const auto add = [&](int digit, const uint64_t *entry, size_t numbers, P256Operation operation) {
        memcpy(other, entry, numbers * WORDS * sizeof(*entry));
        uint64_t *const y = other + WORDS * P256Chain::Y;
        if (digit < 0) memcpy(y, p256_field().less(p256_field().reduced(number_at(y))).word, sizeof(Number256));
        if (started) {
            if (doublings) lane->run_operation(DOUBLE, doublings);
            lane->run_operation(operation, 1);
        } else {
            start(lane, other);
            if (operation == ADD) lane->put_chain_limbs(0, P256Chain::Z, other + WORDS * P256Chain::Z);
        }
        started = true;
        doublings = 0;
    };
    for (size_t at = std::max(base_digits.end(), digits.end()); at--;) {
        doublings += started;
        if (const int digit = digits[at])
            add(digit, lane->key_limbs(P256Key::OWN + size_t(abs(digit)) / 2 * P256Chain::NUMBERS), P256Chain::NUMBERS,
                ADD);
        if (const int digit = base_digits[at]) add(digit, &table_[size_t(abs(digit)) / 2 * ENTRY_WORDS], 2, ADD_MIXED);
    }
    if (doublings) lane->run_operation(DOUBLE, doublings);
}

}  // namespace cst
