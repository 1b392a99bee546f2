#include <algorithm>

#include "../suite/wiped.hpp"
#include "ed25519.hpp"

namespace cst {
namespace {

constexpr size_t TOGETHER = INVERTED_TOGETHER;
constexpr size_t COMB_TEETH = DIGITS / 2;
constexpr OperationCount BASE_MULTIPLICATION[POINT_OPERATIONS] = {{1, DIGIT_BITS}, {0, 0}, {0, 0}, {DIGITS, DIGITS}};
constexpr OperationCount SINGLE_BASE_MULTIPLICATION[POINT_OPERATIONS] = {
    {1, PointComb::DIGIT_BITS}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {PointComb::DIGITS, PointComb::DIGITS}};

// The intermediate values of up to TOGETHER jobs that are signed together.
struct Work {
    uint8_t digests[TOGETHER][SHA512_BYTES], numbers[TOGETHER][SHA512_BYTES];
    Scalar25519 scalar[2 * TOGETHER];  // of the keys, then of the nonces
    uint8_t encoded[2 * TOGETHER][POINT_BYTES];  // their multiples of the base point
};

}  // namespace

int Ed25519Signing::init(const Engine &engine, const Suites &suites, const char *kernel) {
    if (int error = sha512_.init(engine, suites, "sha512")) return error;
    if (int error = points_.init(engine, kernel, BASE_MULTIPLICATION, SINGLE_BASE_MULTIPLICATION, PointComb::DIGITS))
        return error;
    if (points_.have_several()) make_combs();
    if (points_.have_single())
        single_ = std::make_unique<PointComb>(
            points_.base_multiples(PointComb::ROWS, PointComb::MULTIPLES, PointComb::BITS), engine.has("avx2"));
    return CST_OK;
}

void Ed25519Signing::make_combs() {
    std::vector<Number25519> numbers;
    const auto add = [&](const AffinePoint &point) {
        const PointOperand its = operand_of(point);
        numbers.insert(numbers.end(), std::begin(its.number), std::end(its.number));
    };
    const std::vector<AffinePoint> points = points_.base_multiples(COMB_TEETH, MULTIPLES, 2 * DIGIT_BITS);
    for (size_t i = 0; i < points.size(); i++) {
        if (i % MULTIPLES == 0) add(neutral_point());
        add(points[i]);
    }
    combs_ = NumberTable(numbers);
}

// A comb (the digits' two halves): the sum over odd digits, 16 times, and that over even digits.
void Ed25519Signing::multiply_base(const Scalar25519 *scalars, size_t n, uint8_t (*encoded)[POINT_BYTES]) const {
    WipedVector<ChainPoint> chains(n);
    points_.for_lanes(n, [&](PointLanes *lanes, size_t first, size_t count) {
        if (lanes->single()) {
            single_->add_multiple(lanes, scalars[first]);
            chains[first] = lanes->point(0);
            return;
        }
        int8_t digits[MOST_LANES][DIGITS];
        for (size_t i = 0; i < count; i++) put_digits(scalars[first + i], DIGIT_BITS, digits[i]);
        for (const size_t odd : {1, 0}) {
            for (size_t tooth = 0; tooth < COMB_TEETH; tooth++) {
                lanes->put_common(combs_, tooth * COMMON_NUMBERS);
                for (size_t i = 0; i < count; i++) lanes->put_digit(i, digits[i][2 * tooth + odd]);
                lanes->run(PointOperation::add_common);
            }
            if (odd) lanes->run(PointOperation::twice, DIGIT_BITS);
        }
        for (size_t i = 0; i < count; i++) chains[first + i] = lanes->point(i);
        wipe(digits, sizeof(digits));
    });
    WipedVector<AffinePoint> points(n);
    WipedVector<Number25519> work(2 * n);
    to_affine(chains.data(), n, points.data(), work.data());
    for (size_t i = 0; i < n; i++) encode_point(points[i], encoded[i]);
}

// RFC 8032, 5.1.5: the first half of the seed's digest is the scalar, the second one the prefix. A scalar below 2^255
// and the same modulo L have the same multiple of the base point.
void Ed25519Signing::expand(const Job *jobs, size_t n, Scalar25519 *scalars, uint8_t (*digests)[SHA512_BYTES]) const {
    std::vector<Digests::Text> texts(n);
    for (size_t i = 0; i < n; i++) texts[i] = {{piece(jobs[i].seed, ED25519_KEY), {}, {}}};
    sha512_.run(texts, digests[0]);
    for (size_t i = 0; i < n; i++) {
        uint8_t clamped[SHA512_BYTES] = {};
        memcpy(clamped, digests[i], ED25519_KEY);
        clamped[0] &= 248;
        clamped[31] = uint8_t((clamped[31] & 127) | 64);
        scalars[i] = reduced(clamped);
        wipe(clamped, sizeof(clamped));
    }
}

void Ed25519Signing::make_public_keys(Job *jobs, size_t n) const {
    const auto work = make_wiped<Work>();
    for (size_t at = 0; at < n; at += TOGETHER) {
        const size_t some = std::min(TOGETHER, n - at);
        expand(jobs + at, some, work->scalar, work->digests);
        multiply_base(work->scalar, some, work->encoded);
        for (size_t i = 0; i < some; i++) memcpy(jobs[at + i].result, work->encoded[i], POINT_BYTES);
    }
}

void Ed25519Signing::sign(Job *jobs, size_t n) const {
    for (size_t at = 0; at < n; at += TOGETHER) sign_some(jobs + at, std::min(TOGETHER, n - at));
}

// RFC 8032, 5.1.6
void Ed25519Signing::sign_some(Job *jobs, size_t n) const {
    const auto work = make_wiped<Work>();
    std::vector<Digests::Text> texts(n);
    expand(jobs, n, work->scalar, work->digests);
    for (size_t i = 0; i < n; i++)
        texts[i] = {{piece(work->digests[i] + ED25519_KEY, ED25519_KEY), piece(jobs[i].message, jobs[i].bytes), {}}};
    sha512_.run(texts, work->numbers[0]);
    for (size_t i = 0; i < n; i++) work->scalar[n + i] = reduced(work->numbers[i]);

    uint8_t (*const encoded)[POINT_BYTES] = work->encoded;
    const bool lacks_key = std::any_of(jobs, jobs + n, [](const Job &job) { return !job.public_key; });
    multiply_base(work->scalar + (lacks_key ? 0 : n), lacks_key ? 2 * n : n, encoded + (lacks_key ? 0 : n));
    for (size_t i = 0; i < n; i++) {
        const uint8_t *const key = jobs[i].public_key ? jobs[i].public_key : encoded[i];
        memcpy(jobs[i].result, encoded[n + i], POINT_BYTES);
        texts[i] = {
            {piece(encoded[n + i], POINT_BYTES), piece(key, POINT_BYTES), piece(jobs[i].message, jobs[i].bytes)}};
    }
    sha512_.run(texts, work->numbers[0]);
    for (size_t i = 0; i < n; i++)
        put_scalar(multiply_add(reduced(work->numbers[i]), work->scalar[i], work->scalar[n + i]),
                   jobs[i].result + POINT_BYTES);
}

}  // namespace cst
