#include "rsa.hpp"

#include <algorithm>
#include <cstring>

#include "../suite/wiped.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

constexpr size_t PRIME_BITS[] = {1024, 1536, 2048};
constexpr size_t MOST_JOBS = MOST_POWERS_IN_LANES / 2;
constexpr uint64_t UNIT[MOST_PRIME_WORDS] = {1};

// Some jobs of one size. Lanes 2 i and 2 i + 1 are those of p and q of job i; lanes without a job have the first one's
// primes, and what they compute is not looked at.
class Round {
public:
    Round(PowerLanes *lanes, RsaPrivate::Job *const *jobs, size_t n) : lanes_(*lanes), jobs_(jobs), n_(n) {
        for (size_t lane = 0; lane < lanes_.lanes(); lane++) {
            lanes_.put_modulus(lane, prime(lane).modulus);
            lanes_.put_entry(lane, 0, prime(lane).one);
        }
    }

    void run() {
        for (size_t i = 0; i < n_; i++) jobs_[i]->key->next_blinding(&blinding_[i]);
        for (size_t lane = 0; lane < 2 * n_; lane++) reduce_input(lane);
        load(&RsaPrivate::Job::in);
        multiply_by([&](size_t lane) { return blinding_[job_at(lane)].blind[lane % 2]; });
        raise();
        multiply_by([&](size_t lane) { return blinding_[job_at(lane)].unblind[lane % 2]; });
        multiply_by([](size_t) { return UNIT; });
        take(powers_);
        for (size_t i = 0; i < n_; i++) join(i);
        load(&RsaPrivate::Job::out);
        raise_to_public_exponents();
        multiply_by([](size_t) { return UNIT; });
        take(checks_);
        for (size_t i = 0; i < n_; i++) {
            const size_t words = lanes_.words();
            const uint64_t p = is_equal(checks_[2 * i], inputs_[2 * i], words),
                           q = is_equal(checks_[2 * i + 1], inputs_[2 * i + 1], words);
            jobs_[i]->right = p & q & 1;
        }
    }

private:
    size_t job_at(size_t lane) const { return lane / 2 < n_ ? lane / 2 : 0; }
    const RsaPrime &prime(size_t lane) const { return jobs_[job_at(lane)]->key->prime(lane % 2); }

    template <typename Factor>
    void multiply_by(Factor factor) {
        for (size_t lane = 0; lane < lanes_.lanes(); lane++) lanes_.put_y(lane, factor(lane));
        lanes_.multiply();
    }

    // x = a R, of a number of twice as many words: the upper half's share and the lower half's.
    void load(uint64_t (RsaPrivate::Job::*a)[MOST_NUMBER_WORDS]) {
        const size_t words = lanes_.words();
        for (size_t lane = 0; lane < lanes_.lanes(); lane++) lanes_.put_x(lane, jobs_[job_at(lane)]->*a + words);
        multiply_by([&](size_t lane) { return prime(lane).upper; });
        for (size_t lane = 0; lane < lanes_.lanes(); lane++) {
            lanes_.get_x(lane, prime(lane).modulus.m, sums_[lane]);
            lanes_.put_x(lane, jobs_[job_at(lane)]->*a);
        }
        multiply_by([&](size_t lane) { return prime(lane).square; });
        for (size_t lane = 0; lane < lanes_.lanes(); lane++) {
            const uint64_t *const m = prime(lane).modulus.m;
            uint64_t lower[MOST_PRIME_WORDS];
            lanes_.get_x(lane, m, lower);
            const uint64_t carry = add_number(lower, sums_[lane], words);
            subtract_if_not_less(lower, carry, m, words);
            lanes_.put_x(lane, lower);
            wipe(lower, sizeof(lower));
        }
    }

    // Sets what the check compares with: the input modulo a lane's prime, computed without lanes, so that it shows a
    // fault of any step in them.
    void reduce_input(size_t lane) {
        const size_t words = lanes_.words();
        const Modulus &modulus = prime(lane).modulus;
        const uint64_t *const in = jobs_[job_at(lane)]->in;
        uint64_t *const sum = inputs_[lane];
        uint64_t lower[MOST_PRIME_WORDS];
        memcpy(sum, in + words, words * sizeof(*in));
        memcpy(lower, in, words * sizeof(*in));
        subtract_if_not_less(sum, 0, modulus.m, words);
        subtract_if_not_less(lower, 0, modulus.m, words);
        modulus.enter(sum, sum);
        const uint64_t carry = add_number(sum, lower, words);
        subtract_if_not_less(sum, carry, modulus.m, words);
        wipe(lower, sizeof(lower));
    }

    // x^exponent, by windows of four bits.
    void raise() {
        lanes_.x_to_entry(1);
        lanes_.x_to_y();
        for (size_t i = 2; i < POWER_NUMBERS; i++) {
            lanes_.multiply();
            lanes_.x_to_entry(i);
        }
        lanes_.entry_to_x(0);
        const uint64_t *exponents[MOST_POWERS_IN_LANES];
        for (size_t lane = 0; lane < lanes_.lanes(); lane++) exponents[lane] = prime(lane).exponent;
        for (size_t bit = 64 * lanes_.words(); bit;) {
            if (bit != 64 * lanes_.words()) lanes_.square(POWER_DIGIT_BITS);
            bit -= POWER_DIGIT_BITS;
            for (size_t lane = 0; lane < lanes_.lanes(); lane++)
                lanes_.put_digit(lane, exponents[lane][bit / 64] >> bit % 64 & (POWER_NUMBERS - 1));
            lanes_.choose();
        }
    }

    // x^e; lanes may have several e, which are public.
    void raise_to_public_exponents() {
        lanes_.x_to_entry(1);
        lanes_.entry_to_x(0);
        uint64_t any = 0;
        for (size_t i = 0; i < n_; i++) any |= jobs_[i]->key->e();
        const unsigned bits = unsigned(64 - __builtin_clzll(any));
        for (unsigned bit = bits; bit--;) {
            if (bit != bits - 1) lanes_.square();
            if (!(any >> bit & 1)) continue;
            for (size_t lane = 0; lane < lanes_.lanes(); lane++)
                lanes_.put_digit(lane, jobs_[job_at(lane)]->key->e() >> bit & 1);
            lanes_.choose();
        }
    }

    // Writes x modulo the primes.
    void take(uint64_t (*to)[MOST_PRIME_WORDS]) const {
        for (size_t lane = 0; lane < 2 * n_; lane++) lanes_.get_x(lane, prime(lane).modulus.m, to[lane]);
    }

    // RFC 8017, 5.1.2, 2.b: out = m_q + q h, where h = (m_p - m_q) / q modulo p. q is less than 2 p.
    void join(size_t i) {
        const RsaKey &key = *jobs_[i]->key;
        const Modulus &p = key.prime(0).modulus, &q = key.prime(1).modulus;
        const size_t words = lanes_.words();
        uint64_t h[MOST_PRIME_WORDS], other[MOST_PRIME_WORDS], sum[MOST_NUMBER_WORDS] = {};
        memcpy(h, powers_[2 * i], words * sizeof(*h));
        memcpy(other, powers_[2 * i + 1], words * sizeof(*other));
        subtract_if_not_less(other, 0, p.m, words);
        const uint64_t borrow = 0 - subtract_number(h, other, words);
        for (size_t w = 0; w < words; w++) other[w] = p.m[w] & borrow;
        add_number(h, other, words);
        p.multiply(h, key.coefficient(), h);
        multiply_numbers(q.m, h, words, jobs_[i]->out);
        memcpy(sum, powers_[2 * i + 1], words * sizeof(*sum));
        add_number(jobs_[i]->out, sum, 2 * words);
        wipe(h, sizeof(h));
        wipe(other, sizeof(other));
        wipe(sum, sizeof(sum));
    }

    PowerLanes &lanes_;
    RsaPrivate::Job *const *const jobs_;
    const size_t n_;
    BlindingFactors blinding_[MOST_JOBS];
    uint64_t sums_[MOST_POWERS_IN_LANES][MOST_PRIME_WORDS], powers_[MOST_POWERS_IN_LANES][MOST_PRIME_WORDS],
        checks_[MOST_POWERS_IN_LANES][MOST_PRIME_WORDS], inputs_[MOST_POWERS_IN_LANES][MOST_PRIME_WORDS];
};

}  // namespace

int RsaPrivate::init(const Engine &engine, const char *kernel) {
    for (size_t i = 0; i < SIZES; i++)
        if (int error = fetch_power_kernels(engine, kernel, PRIME_BITS[i], &kernels_[i])) return error;
    return CST_OK;
}

void RsaPrivate::run(Job *jobs, size_t n) const {
    for (size_t size = 0; size < SIZES; size++) {
        std::vector<Job *> some;
        for (size_t i = 0; i < n; i++)
            if (jobs[i].key->prime_bits() == PRIME_BITS[size]) some.push_back(&jobs[i]);
        if (some.empty()) continue;
        PowerLanes lanes(kernels_[size]);
        for (size_t at = 0; at < some.size(); at += lanes.lanes() / 2)
            make_wiped<Round>(&lanes, some.data() + at, std::min(lanes.lanes() / 2, some.size() - at))->run();
    }
}

}  // namespace cst
