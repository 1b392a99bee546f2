#include "p256_multiplication.hpp"

#include <cstring>

#include "../suite/wiped.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

enum Operation : size_t { DOUBLE, ADD, ADD_OWN, ADD_COMMON, CACHED, OPERATIONS };
struct Chain {
    enum { X, Y, Z, Z2, Z3, NUMBERS };
};
constexpr size_t ENTRIES = 8, OTHER = 0, OWN = Chain::NUMBERS;  // of the key: another point, then the lane's table
constexpr size_t COMMON_NUMBERS = 2 * ENTRIES;
constexpr unsigned DIGIT_BITS = 4;
constexpr size_t DIGITS = 256 / DIGIT_BITS;

const NumberLayout LAYOUT = {"p256",
                             {"p256_double", "p256_add", "p256_add_own", "p256_add_common", "p256_cached"},
                             OPERATIONS,
                             Chain::NUMBERS,
                             OWN + ENTRIES * Chain::NUMBERS,
                             COMMON_NUMBERS};
constexpr OperationCount COUNTS[OPERATIONS] = {
    {DIGITS, 256}, {ENTRIES - 1, ENTRIES - 1}, {DIGITS, DIGITS}, {0, 0}, {ENTRIES + 1, ENTRIES + 1}};

// A coordinate as the kernels have it, in limbs of 52 bits or in words.
struct Limbs {
    static constexpr size_t MOST = 5, WORDS = 4;
    Limbs(const Residue256 &a, size_t limbs) {
        if (limbs == WORDS) {
            const Number256 words = p256_field().to_words(a);
            memcpy(of, words.word, sizeof(words.word));
        } else {
            memcpy(of, p256_field().canonical(a).limb, sizeof(of));
        }
    }
    uint64_t of[MOST];
};

// An odd number k is 2^256 + the sum of d_i 16^i, where d_i = 2 b_i - 15 and b_i are the hexadecimal digits of
// (k - 1) / 2: no digit is 0, so that no addition but the last one may be of equal or opposite points, or to the
// neutral one (M. Joye, M. Tunstall, Exponent recoding and regular exponentiation algorithms, 2009). For an even k the
// order less k, which is odd, is the multiplier, and all signs are the other ones.
class Digits {
public:
    explicit Digits(const Number256 &k) {
        flipped_ = 1 ^ is_odd(k);
        const Number256 odd = chosen(0 - flipped_, p256_order().less(k), k);
        for (size_t w = 0; w < 4; w++) half_[w] = odd.word[w] >> 1 | (w < 3 ? odd.word[w + 1] << 63 : 0);
    }
    ~Digits() { wipe(this, sizeof(*this)); }
    uint64_t flipped() const { return flipped_; }
    void put(NumberLanes *lanes, size_t lane, size_t at) const {
        const uint64_t b = half_[at * DIGIT_BITS / 64] >> at * DIGIT_BITS % 64 & 15, positive = b >> 3;
        lanes->put_words(lane, {(b ^ (positive - 1)) & 7, positive ^ 1 ^ flipped_});
    }

private:
    uint64_t flipped_, half_[4];
};

}  // namespace

// The lanes of some jobs, and their digits.
class P256Multiplication::Lanes : public NumberLanes {
public:
    using NumberLanes::NumberLanes;

    void put_point(size_t lane, const P256Point &point) {
        put(lane, Chain::X, point.x);
        put(lane, Chain::Y, point.y);
        put(lane, Chain::Z, p256_field().one());
    }
    P256Jacobian point(size_t lane) const {
        return {number(lane, Chain::X), number(lane, Chain::Y), number(lane, Chain::Z)};
    }
    // Multiplies the points of some jobs: makes the lanes' tables of the odd multiples from 1 to 15, then takes four
    // bits at a time.
    void multiply(const Number256 *multipliers, const P256Point *points, size_t n) {
        const auto put_all = [&](const std::vector<Digits> *signs) {
            for (size_t i = 0; i < lanes(); i++) {  // lanes without a job have the first one's point
                const size_t job = i < n ? i : 0;
                put_point(i, signs ? negative_where(0 - (*signs)[job].flipped(), points[job]) : points[job]);
            }
        };
        const std::vector<Digits> digits(multipliers, multipliers + n);
        put_all(nullptr);
        odd_multiples([&](size_t i) { take(OWN + i * Chain::NUMBERS); });
        put_all(&digits);
        for (size_t at = DIGITS; at--;) {
            run_operation(DOUBLE, DIGIT_BITS);
            put_digits(digits, at);
            run_operation(ADD_OWN, 1);
        }
    }

    // Adds multiples of the base point to the points, but for 2^256 times it, less for `flipped` digits.
    void add_base(const P256Multiplication &its, const std::vector<Digits> &digits) {
        for (size_t at = DIGITS; at--;) {
            put_table([&](size_t limbs) { return its.comb(limbs, at); });
            put_digits(digits, at);
            run_operation(ADD_COMMON, 1);
        }
    }

    void put_other(size_t lane, const P256Point &point) {
        put_key_number(lane, OTHER + Chain::X, point.x);
        put_key_number(lane, OTHER + Chain::Y, point.y);
        for (const size_t number : {Chain::Z, Chain::Z2, Chain::Z3})
            put_key_number(lane, OTHER + number, p256_field().one());
    }

    // Calls each(i) when the points are 2 i + 1 times what they were, for all of a table; leaves them as they were.
    template <typename Each>
    void odd_multiples(Each each) {
        WipedVector<uint8_t> first(saved_bytes());
        save(first.data());
        run_operation(DOUBLE, 1);
        take(OTHER);
        restore(first.data());
        for (size_t i = 0; i < ENTRIES; i++) {
            if (i) run_operation(ADD, 1);
            each(i);
        }
        restore(first.data());
    }

    // Copies the points, with Z^2 and Z^3, to the keys.
    void take(size_t number) {
        run_operation(CACHED, 1);
        copy_to_keys(number, Chain::NUMBERS);
    }

private:
    void put_digits(const std::vector<Digits> &digits, size_t at) {
        for (size_t i = 0; i < digits.size(); i++) digits[i].put(this, i, at);
    }
    void put(size_t lane, size_t number, const Residue256 &a) {
        put_chain_limbs(lane, number, Limbs(a, limbs(lane)).of);
    }
    void put_key_number(size_t lane, size_t number, const Residue256 &a) {
        put_key_limbs(lane, number, Limbs(a, limbs(lane)).of);
    }
    // Kernels leave any words, or in limbs of 52 bits numbers below 3 p.
    Residue256 number(size_t lane, size_t number) const {
        uint64_t its[Limbs::MOST];
        for (size_t i = 0; i < limbs(lane); i++) memcpy(&its[i], chain(lane, number) + i * pitch(lane), sizeof(its[i]));
        if (limbs(lane) == Limbs::WORDS) return p256_field().from_words({{its[0], its[1], its[2], its[3]}});
        return p256_field().canonical({{its[0], its[1], its[2], its[3], its[4]}});
    }
};

int P256Multiplication::init(const Engine &engine, const char *kernel) {
    if (int error = dealer_.init(engine, LAYOUT, kernel, COUNTS))
        return error == CST_ERR_UNSUPPORTED && !kernel ? CST_OK : error;
    in_lanes_ = true;
    make_combs();
    return CST_OK;
}

// Tables of odd multiples of the base point from 1 to 15, and the same times 16, and so on.
void P256Multiplication::make_combs() {
    std::vector<P256Jacobian> made;
    dealer_.deal<Lanes>(1, [&](Lanes *lanes, size_t, size_t) {
        lanes->put_point(0, p256_base());
        for (size_t i = 0; i < DIGITS; i++) {
            lanes->odd_multiples([&](size_t) { made.push_back(lanes->point(0)); });
            lanes->run_operation(DOUBLE, DIGIT_BITS);
        }
        made.push_back(lanes->point(0));
    });
    std::vector<P256Point> points(made.size());
    std::vector<Residue256> work(2 * points.size());
    to_affine(made.data(), made.size(), points.data(), work.data());
    base_start_ = points.back();
    for (size_t i = 0; i < DIGITS * COMMON_NUMBERS; i++)
        for (const size_t limbs : {Limbs::WORDS, Limbs::MOST}) {
            const Limbs its(i % 2 ? points[i / 2].y : points[i / 2].x, limbs);
            std::vector<uint64_t> *const combs = limbs == Limbs::WORDS ? &word_combs_ : &limb_combs_;
            combs->insert(combs->end(), its.of, its.of + limbs);
        }
}

const uint64_t *P256Multiplication::comb(size_t limbs, size_t position) const {
    return (limbs == Limbs::WORDS ? word_combs_ : limb_combs_).data() + position * COMMON_NUMBERS * limbs;
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
            lanes->multiply(multipliers + first, points + first, count);
            for (size_t i = 0; i < count; i++) out[first + i] = lanes->point(i);
        });
    complete(out, n, [&](size_t i) { return multiple(multipliers[i], points[i]); });
}

void P256Multiplication::multiply_base(const Number256 *multipliers, size_t n, P256Jacobian *out) const {
    memset(static_cast<void *>(out), 0, n * sizeof(*out));
    if (in_lanes_)
        dealer_.deal<Lanes>(n, [&](Lanes *lanes, size_t first, size_t count) {
            const std::vector<Digits> digits(multipliers + first, multipliers + first + count);
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
            lanes->multiply(multipliers + first, points + first, count);
            const std::vector<Digits> digits(base + first, base + first + count);
            for (size_t i = 0; i < lanes->lanes(); i++)
                lanes->put_other(i, negative_where(0 - digits[i < count ? i : 0].flipped(), base_start_));
            lanes->run_operation(ADD, 1);
            lanes->add_base(*this, digits);
            for (size_t i = 0; i < count; i++) out[first + i] = lanes->point(i);
        });
    complete(out, n, [&](size_t i) { return sum_of_multiples(base[i], multipliers[i], points[i]); });
}

}  // namespace cst
