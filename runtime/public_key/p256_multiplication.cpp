#include "p256_multiplication.hpp"

#include <cstring>

#include "../suite/wiped.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

const NumberLayout P256_LAYOUT = {
    "p256",
    {"p256_double", "p256_add", "p256_add_own", "p256_add_common", "p256_cached", "p256_add_mixed"},
    P256_OPERATIONS,
    P256Chain::NUMBERS,
    P256Key::OWN + P256_ENTRIES * P256Chain::NUMBERS,
    P256_COMMON_NUMBERS,
    1 << DOUBLE | 1 << ADD | 1 << ADD_OWN | 1 << ADD_COMMON | 1 << CACHED,
    1 << DOUBLE | 1 << ADD | 1 << CACHED | 1 << ADD_MIXED};

namespace {

constexpr unsigned DIGIT_BITS = P256Digits::BITS;
constexpr size_t DIGITS = P256Digits::DIGITS - 1;  // but the highest

// Where all lanes take one path: a table of multiples of the lane's point, doublings between digits, additions; or
// additions of multiples of the base point alone.
constexpr OperationCount OWN_DOUBLINGS = {DIGITS, 256}, EACH_DIGIT = {DIGITS, DIGITS};
constexpr OperationCount TABLE_ADDITIONS = {P256_ENTRIES - 1, P256_ENTRIES - 1};
constexpr OperationCount TABLE_ENTRIES = {P256_ENTRIES + 1, P256_ENTRIES + 1};
typedef OperationCount Counts[P256_OPERATIONS];
constexpr Counts COUNTS[] = {{OWN_DOUBLINGS, TABLE_ADDITIONS, EACH_DIGIT, {0, 0}, TABLE_ENTRIES, {0, 0}},
                             {{0, 0}, {0, 0}, {0, 0}, EACH_DIGIT, {0, 0}, {0, 0}},
                             {OWN_DOUBLINGS, TABLE_ADDITIONS, EACH_DIGIT, EACH_DIGIT, TABLE_ENTRIES, {0, 0}}};
// A digit of width w that is not 0 stands, on average, for w + 1 bits.
constexpr OperationCount SPARSE_ADDITIONS = {50, 50}, SPARSE_BASE_ADDITIONS = {28, 28};
constexpr Counts SINGLE_COUNTS[] = {
    {{52, 256}, {66, 66}, {0, 0}, {0, 0}, {17, 17}, {0, 0}},
    {{1, 6}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {P256SingleLane::Comb::DIGITS - 1, P256SingleLane::Comb::DIGITS - 1}},
    {{70, 256}, SPARSE_ADDITIONS, {0, 0}, {0, 0}, TABLE_ENTRIES, SPARSE_BASE_ADDITIONS}};
constexpr size_t SINGLE_ENTRIES[] = {P256SingleDigits::DIGITS - 1, P256CombDigits::DIGITS, 0};  // of secret digits

}  // namespace

// The lanes of some jobs, and their digits.
class P256Multiplication::Lanes : public P256Lanes {
public:
    using P256Lanes::P256Lanes;

    // Multiplies the points of some jobs: makes the lanes' tables of the odd multiples from 1 to 15, then takes four
    // bits at a time.
    void multiply(const Number256 *multipliers, const P256Point *points, size_t n) {
        const auto put_all = [&](const std::vector<P256Digits> *signs) {
            for (size_t i = 0; i < lanes(); i++) {  // lanes without a job have the first one's point
                const size_t job = i < n ? i : 0;
                put_point(i, signs ? negative_where(0 - (*signs)[job].flipped(), points[job]) : points[job]);
            }
        };
        const std::vector<P256Digits> digits(multipliers, multipliers + n);
        put_all(nullptr);
        make_own_tables();
        put_all(&digits);
        for (size_t at = DIGITS; at--;) {
            run_operation(DOUBLE, DIGIT_BITS);
            put_digits(digits, at);
            run_operation(ADD_OWN, 1);
        }
    }

    // Adds multiples of the base point to the points, but for 2^256 times it, less for `flipped` digits.
    void add_base(const P256Multiplication &its, const std::vector<P256Digits> &digits) {
        for (size_t at = DIGITS; at--;) {
            put_table([&](size_t limbs) { return its.combs_.data() + at * P256_COMMON_NUMBERS * limbs; });
            put_digits(digits, at);
            run_operation(ADD_COMMON, 1);
        }
    }

private:
    void put_digits(const std::vector<P256Digits> &digits, size_t at) {
        for (size_t i = 0; i < digits.size(); i++)
            put_words(i, {uint64_t(digits[i].index(at)), digits[i].negative(at)});
    }
};

int P256Multiplication::init(const Engine &engine, const char *kernel, Use use) {
    const size_t its = size_t(use);
    if (int error = dealer_.init(engine, P256_LAYOUT, kernel, COUNTS[its], SINGLE_COUNTS[its], SINGLE_ENTRIES[its]))
        return error == CST_ERR_UNSUPPORTED && !kernel ? CST_OK : error;
    in_lanes_ = true;
    if (dealer_.have_several()) make_combs();
    if (dealer_.have_single()) {
        const bool sums = use == Use::sums;
        const std::vector<P256Point> points =
            sums
                ? base_multiples(1, P256SingleLane::Sums::ENTRIES, 0)
                : base_multiples(P256SingleLane::Comb::ROWS, P256SingleLane::Comb::ENTRIES, P256SingleLane::Comb::BITS);
        single_ = std::make_unique<P256SingleLane>(points, engine.has("avx2"));
    }
    return CST_OK;
}

// Returns the odd multiples of the base point from 1 to 2 entries - 1, the same of 2^bits times it, and so on.
std::vector<P256Point> P256Multiplication::base_multiples(size_t positions, size_t entries, unsigned bits) const {
    std::vector<P256Jacobian> made;
    dealer_.deal<Lanes>(1, [&](Lanes *lanes, size_t, size_t) {
        lanes->put_point(0, p256_base());
        for (size_t i = 0; i < positions; i++) {
            lanes->odd_multiples(entries, [&](size_t) { made.push_back(lanes->point(0)); });
            if (bits) lanes->run_operation(DOUBLE, bits);
        }
    });
    std::vector<P256Point> points(made.size());
    std::vector<Residue256> work(2 * points.size());
    to_affine(made.data(), made.size(), points.data(), work.data());
    return points;
}

void P256Multiplication::make_combs() {
    const std::vector<P256Point> points = base_multiples(DIGITS + 1, P256_ENTRIES, DIGIT_BITS);
    base_start_ = points[DIGITS * P256_ENTRIES];
    for (size_t i = 0; i < DIGITS * P256_COMMON_NUMBERS; i++) {
        const P256Limbs its(i % 2 ? points[i / 2].y : points[i / 2].x, P256Limbs::MOST);
        combs_.insert(combs_.end(), its.of, its.of + P256Limbs::MOST);
    }
}

namespace {

// Computes again, by formulas that know no exceptions, what an addition of equal or opposite points has made 0.
template <typename Slowly>
void complete(P256Jacobian *points, size_t n, Slowly slowly) {
    for (size_t i = 0; i < n; i++)
        if (p256_field().is_zero(points[i].z)) points[i] = slowly(i);
}

}  // namespace

void P256Multiplication::multiply(const Number256 *multipliers, const P256Point *points, size_t n,
                                  P256Jacobian *out) const {
    memset(static_cast<void *>(out), 0, n * sizeof(*out));
    if (in_lanes_)
        dealer_.deal<Lanes>(n, [&](Lanes *lanes, size_t first, size_t count) {
            if (lanes->single()) single_->multiply(lanes, multipliers[first], points[first]);
            else lanes->multiply(multipliers + first, points + first, count);
            for (size_t i = 0; i < count; i++) out[first + i] = lanes->point(i);
        });
    complete(out, n, [&](size_t i) { return multiple(multipliers[i], points[i]); });
}

void P256Multiplication::multiply_base(const Number256 *multipliers, size_t n, P256Jacobian *out) const {
    memset(static_cast<void *>(out), 0, n * sizeof(*out));
    if (in_lanes_)
        dealer_.deal<Lanes>(n, [&](Lanes *lanes, size_t first, size_t count) {
            if (lanes->single()) {
                single_->multiply_base(lanes, multipliers[first]);
                out[first] = lanes->point(0);
                return;
            }
            const std::vector<P256Digits> digits(multipliers + first, multipliers + first + count);
            for (size_t i = 0; i < lanes->lanes(); i++)
                lanes->put_point(i, negative_where(0 - digits[i < count ? i : 0].flipped(), base_start_));
            lanes->add_base(*this, digits);
            for (size_t i = 0; i < count; i++) out[first + i] = lanes->point(i);
        });
    complete(out, n, [&](size_t i) { return multiple(multipliers[i], p256_base()); });
}

void P256Multiplication::multiply_both(const Number256 *base, const Number256 *multipliers, const P256Point *points,
                                       size_t n, P256Jacobian *out) const {
    memset(static_cast<void *>(out), 0, n * sizeof(*out));
    if (in_lanes_)
        dealer_.deal<Lanes>(n, [&](Lanes *lanes, size_t first, size_t count) {
            if (lanes->single()) {
                single_->multiply_both(lanes, base[first], multipliers[first], points[first]);
                out[first] = lanes->point(0);
                return;
            }
            lanes->multiply(multipliers + first, points + first, count);
            const std::vector<P256Digits> digits(base + first, base + first + count);
            for (size_t i = 0; i < lanes->lanes(); i++)
                lanes->put_other(i, negative_where(0 - digits[i < count ? i : 0].flipped(), base_start_));
            lanes->run_operation(ADD, 1);
            lanes->add_base(*this, digits);
            for (size_t i = 0; i < count; i++) out[first + i] = lanes->point(i);
        });
    complete(out, n, [&](size_t i) { return sum_of_multiples(base[i], multipliers[i], points[i]); });
}

}  // namespace cst
