#include <algorithm>

#include "ed25519.hpp"

namespace cst {
namespace {

constexpr size_t TOGETHER = INVERTED_TOGETHER;
constexpr unsigned BASE_BITS = 8;  // of the signed digits of the base point's multipliers
constexpr size_t BASE_DIGITS = 256 / BASE_BITS, BASE_MULTIPLES = 1 << (BASE_BITS - 1);
constexpr size_t TABLE_NUMBERS = PointOperand::NUMBERS + 1;  // and the negative of the product

// A table of multiples, doublings between digits, additions, a square root.
constexpr OperationCount VERIFICATION[POINT_OPERATIONS] = {{DIGITS, (DIGITS - 1) * DIGIT_BITS + 1},
                                                           {BASE_DIGITS + MULTIPLES, BASE_DIGITS + MULTIPLES},
                                                           {DIGITS, DIGITS},
                                                           {0, 0},
                                                           {MULTIPLES + 1, MULTIPLES + 1},
                                                           {12, 254},
                                                           {11, 11}};

// Digits of both numbers that are not 0, each of which stands for one bit more than its width on average.
constexpr OperationCount SINGLE_VERIFICATION[POINT_OPERATIONS] = {
    {70, 253}, {50, 50}, {0, 0}, {0, 0}, {PointSum::ENTRIES + 1, PointSum::ENTRIES + 1}, {12, 254}, {11, 11}, {28, 28}};

}  // namespace

int Ed25519Verification::init(const Engine &engine, const Suites &suites, const char *kernel, bool zip215) {
    zip215_ = zip215;
    if (int error = sha512_.init(engine, suites, "sha512")) return error;
    if (int error = points_.init(engine, kernel, VERIFICATION, SINGLE_VERIFICATION, 0)) return error;
    std::vector<AffinePoint> multiples = points_.base_multiples(1, BASE_MULTIPLES, BASE_BITS);
    if (points_.have_single()) {
        std::vector<AffinePoint> odd;
        for (size_t i = 0; i < PointSum::BASE_ENTRIES; i++) odd.push_back(multiples[2 * i]);
        single_ = std::make_unique<PointSum>(odd);
    }
    if (!points_.have_several()) return CST_OK;
    multiples.insert(multiples.begin(), neutral_point());
    std::vector<Number25519> numbers;
    for (const AffinePoint &point : multiples) {
        const PointOperand its = operand_of(point);
        numbers.insert(numbers.end(), std::begin(its.number), std::end(its.number));
        numbers.push_back(operand_of(negative(point)).number[PointOperand::PRODUCT]);
    }
    base_ = NumberTable(numbers);
    return CST_OK;
}

// Jobs that share an inversion. A signature R, S of a message M under A is right if [S]B - [k]A = R, where k is
// SHA-512(R || A || M).
class Ed25519Verification::Round {
public:
    Round(const Ed25519Verification &its, Job *jobs, size_t n) : its_(its), jobs_(jobs), n_(n) {}

    void run() {
        hash();
        its_.points_.for_lanes(n_, [&](PointLanes *lanes, size_t first, size_t count) {
            decode(lanes, first, count, &Job::key, keys_);
            for (size_t i = 0; i < count; i++) lanes->put_point(i, negative(keys_[first + i]));
            if (lanes->single()) {
                its_.single_->multiply(lanes, base_[first], multipliers_[first], &point_);
            } else {
                make_multiples(lanes);
                lanes->make_neutral();
                multiply(lanes, first, count);
            }
            if (its_.zip215_) {
                compare_by_cofactor(lanes, first, count);
            } else {
                for (size_t i = 0; i < count; i++) results_[first + i] = lanes->point(i);
            }
        });
        if (!its_.zip215_) compare();
    }

private:
    void hash() {
        std::vector<Digests::Text> texts(n_);
        std::vector<uint8_t> digests(n_ * SHA512_BYTES);
        for (size_t i = 0; i < n_; i++) {
            const Job &job = jobs_[i];
            texts[i] = {
                {piece(job.signature, POINT_BYTES), piece(job.key, POINT_BYTES), piece(job.message, job.bytes)}};
        }
        its_.sha512_.run(texts, digests.data());
        for (size_t i = 0; i < n_; i++) {
            const Scalar25519 s = scalar_from_bytes(jobs_[i].signature + POINT_BYTES);
            right_[i] = is_reduced(s);
            base_[i] = right_[i] ? s : Scalar25519{};
            multipliers_[i] = reduced(&digests[i * SHA512_BYTES]);
        }
    }

    // The points of some jobs; jobs whose bytes are no point are wrong.
    void decode(PointLanes *lanes, size_t first, size_t n, const uint8_t *Job::*encoded, AffinePoint *points) {
        PointDecoder decoders[MOST_LANES];
        for (size_t i = 0; i < n; i++) lanes->put_number(i, decoders[i].begin(jobs_[first + i].*encoded));
        lanes->raise();
        for (size_t i = 0; i < n; i++)
            right_[first + i] &= decoders[i].finish(lanes->number(i), its_.zip215_, &points[first + i]);
    }

    // Fills the lanes' tables with multiples of the points in them.
    void make_multiples(PointLanes *lanes) {
        point_.resize(lanes->saved_bytes());
        const auto keep = [&](size_t multiple) {
            lanes->save(point_.data());
            lanes->run(PointOperation::cached);
            lanes->take_multiple(multiple);
            if (multiple == 1) lanes->take_point();
            lanes->restore(point_.data());
        };
        keep(1);
        lanes->run(PointOperation::twice);
        keep(2);
        for (size_t i = 3; i <= MULTIPLES; i++) {
            lanes->run(PointOperation::add);
            keep(i);
        }
        lanes->make_neutral();
        keep(0);
    }

    static void take_base(PointLanes *lanes, size_t lane, const uint64_t *table, int digit) {
        const size_t limbs = lanes->limbs(lane);
        const bool negative = digit < 0;
        const uint64_t *const multiple = table + size_t(negative ? -digit : digit) * TABLE_NUMBERS * limbs;
        lanes->put_key_limbs(lane, PointKey::SUM, multiple + negative * limbs);
        lanes->put_key_limbs(lane, PointKey::DIFFERENCE, multiple + !negative * limbs);
        lanes->put_key_limbs(lane, PointKey::PRODUCT, multiple + (2 + negative) * limbs);
    }

    // Horner's rule, for all digits of the points' multipliers; one of the base point's stands for two of them.
    void multiply(PointLanes *lanes, size_t first, size_t n) const {
        constexpr size_t EACH = BASE_BITS / DIGIT_BITS;
        const uint64_t *tables[MOST_LANES];
        int8_t base_digits[MOST_LANES][BASE_DIGITS], key_digits[MOST_LANES][DIGITS];
        for (size_t i = 0; i < n; i++) {
            put_digits(base_[first + i], BASE_BITS, base_digits[i]);
            put_digits(multipliers_[first + i], DIGIT_BITS, key_digits[i]);
            tables[i] = its_.base_.from(lanes->limbs(i), 0);
            lanes->put_key(i, PointKey::TWICE_Z, ONE_25519);
        }
        for (size_t at = DIGITS; at--;) {
            if (at != DIGITS - 1) lanes->run(PointOperation::twice, DIGIT_BITS);
            for (size_t i = 0; i < n; i++) lanes->put_digit(i, key_digits[i][at]);
            lanes->run(PointOperation::add_own);
            if (at % EACH) continue;
            for (size_t i = 0; i < n; i++) take_base(lanes, i, tables[i], base_digits[i][at / EACH]);
            lanes->run(PointOperation::add);
        }
    }

    // RFC 8032, 5.1.7: the point's encoding is the signature's first half.
    void compare() {
        std::vector<AffinePoint> points(n_);
        std::vector<Number25519> work(2 * n_);
        to_affine(results_, n_, points.data(), work.data());
        for (size_t i = 0; i < n_; i++) {
            uint8_t encoded[POINT_BYTES];
            encode_point(points[i], encoded);
            jobs_[i].right = right_[i] && !memcmp(encoded, jobs_[i].signature, POINT_BYTES);
        }
    }

    // ZIP 215: eight times the difference from R is the neutral point, of which x is 0 and y is 1.
    void compare_by_cofactor(PointLanes *lanes, size_t first, size_t n) {
        lanes->save(point_.data());
        decode(lanes, first, n, &Job::signature, nonces_);
        lanes->restore(point_.data());
        for (size_t i = 0; i < n; i++) {
            const PointOperand r = operand_of(negative(nonces_[first + i]));
            const auto put = [&](size_t number, const Number25519 &n) {
                uint8_t bytes[POINT_BYTES];
                put_number(n, bytes);
                lanes->put_key(i, number, bytes);
            };
            put(PointKey::SUM, r.number[PointOperand::SUM]);
            put(PointKey::DIFFERENCE, r.number[PointOperand::DIFFERENCE]);
            put(PointKey::PRODUCT, r.number[PointOperand::PRODUCT]);
            lanes->put_key(i, PointKey::TWICE_Z, ONE_25519);
        }
        lanes->run(PointOperation::add);
        lanes->run(PointOperation::twice, 3);
        for (size_t i = 0; i < n; i++) {
            const ChainPoint point = lanes->point(i);
            jobs_[first + i].right = right_[first + i] && is_zero(point.e) && is_zero(difference(point.h, point.f));
        }
    }

    const Ed25519Verification &its_;
    Job *const jobs_;
    const size_t n_;
    bool right_[TOGETHER];
    Scalar25519 base_[TOGETHER], multipliers_[TOGETHER];
    AffinePoint keys_[TOGETHER], nonces_[TOGETHER];
    ChainPoint results_[TOGETHER];
    std::vector<uint8_t> point_;  // in all lanes, meanwhile
};

void Ed25519Verification::run(Job *jobs, size_t n) const {
    for (size_t at = 0; at < n; at += TOGETHER)
        std::make_unique<Round>(*this, jobs + at, std::min(TOGETHER, n - at))->run();
}

}  // namespace cst
