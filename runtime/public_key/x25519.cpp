#include "x25519.hpp"

#include <cstring>

#include "../select/upper_halves.hpp"
#include "numbers/field25519.hpp"
#include "../suite/wiped.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

constexpr size_t BITS = 255, WORD_BITS = 64, WORDS = 4;
constexpr size_t NUMBERS = 4;  // of the chain: x2, z2, x3, z3; behind them the bit before, and bits of the scalar
constexpr size_t MOST_LADDERS = 16, STATE_ROOM = 8192;

size_t limbs_of(const Part &part) { return part.key_rows; }

bool fits(const Part &part) {
    const size_t limbs = limbs_of(part);
    return (limbs == 4 || limbs == 5 || limbs == 10) && part.chain_rows == NUMBERS * limbs + 2;
}

bool fits(const Variant &v) {
    return v.role == Role::arithmetic && !strcmp(v.cipher.algorithm->record.suite, "x25519") && fits(v.cipher) &&
           (v.hash.lanes.empty() || fits(v.hash)) && v.lanes <= MOST_LADDERS && v.state_bytes <= STATE_ROOM &&
           v.state_align <= 64 && !v.instead;
}

double cycles(const Variant &v) { return double(BITS) * v.cost.per_iteration + double(WORDS) * v.cost.per_call; }

struct LadderMemory {
    alignas(64) uint8_t state[STATE_ROOM];
    uint64_t scalars[MOST_LADDERS][WORDS];
};

// The ladders of some jobs, as many at most as the kernel has lanes.
class Ladders {
public:
    Ladders(const Variant &v, const X25519::Job *jobs, size_t n, LadderMemory *memory)
        : v_(v), jobs_(jobs), n_(n), state_(memory->state), scalars_(memory->scalars) {
        for (uint32_t i = 0; i < v.n_streams; i++) args_.state[i] = state_ + v.state_offset[i];
    }

    // Lanes without a job of their own have the first one's.
    void run() {
        for (size_t lane = 0; lane < v_.lanes; lane++) start(lane, jobs_[lane < n_ ? lane : 0]);
        const cst_kernel_fn fn = v_.kernel.load(std::memory_order_acquire)->fn;
        for (size_t word = WORDS; word--;) {
            // The scalar's highest bit, of 256, is no bit of the ladder.
            const bool first = word == WORDS - 1;
            for (size_t lane = 0; lane < v_.lanes; lane++) put_bits(lane, scalars_[lane][word] << first);
            args_.iterations = WORD_BITS - first;
            fn(&args_);
        }
        v_.calls.add(WORDS);
    }

    // A scalar's lowest bit is 0 (RFC 7748, 5), so that nothing is to be exchanged after the last step.
    Number25519 number(size_t lane, size_t which) const {
        const Part &part = part_of(lane);
        return number_from_limbs(state_ + place(lane).chain + which * limbs_of(part) * part.chain_row_bytes,
                                 limbs_of(part), part.chain_row_bytes);
    }

private:
    const Part &part_of(size_t lane) const { return lane < v_.cipher.lanes.size() ? v_.cipher : v_.hash; }
    const LanePlace &place(size_t lane) const {
        const size_t first = v_.cipher.lanes.size();
        return lane < first ? v_.cipher.lanes[lane] : v_.hash.lanes[lane - first];
    }
    void put(size_t lane, size_t row, uint64_t word) {
        memcpy(state_ + place(lane).chain + row * part_of(lane).chain_row_bytes, &word, sizeof(word));
    }
    void put_bits(size_t lane, uint64_t bits) { put(lane, NUMBERS * limbs_of(part_of(lane)) + 1, bits); }

    void start(size_t lane, const X25519::Job &job) {
        const Part &part = part_of(lane);
        const size_t limbs = limbs_of(part);
        // RFC 7748, 5, decodeScalar25519 and decodeUCoordinate
        memcpy(scalars_[lane], job.scalar, X25519::BYTES);
        scalars_[lane][0] &= ~uint64_t(7);
        scalars_[lane][3] = (scalars_[lane][3] & ~(uint64_t(1) << 63)) | uint64_t(1) << 62;
        uint8_t u[X25519::BYTES];
        memcpy(u, job.u, sizeof(u));
        u[31] &= 127;
        for (size_t row = 0; row < part.chain_rows; row++) put(lane, row, 0);
        put(lane, 0, 1);  // x2 = 1, z2 = 0, x3 = u, z3 = 1
        put_limbs(u, state_ + place(lane).chain + 2 * limbs * part.chain_row_bytes, limbs, part.chain_row_bytes);
        put(lane, 3 * limbs, 1);
        put_limbs(u, state_ + place(lane).key, limbs, part.key_row_bytes);
    }

    const Variant &v_;
    const X25519::Job *const jobs_;
    const size_t n_;
    uint8_t *const state_;
    uint64_t (*const scalars_)[WORDS];
    cst_kernel_args args_;
};

// The quotients of some jobs.
class Quotients {
public:
    size_t n() const { return n_; }
    bool have_room(size_t more) const { return n_ + more <= INVERTED_TOGETHER; }
    void add(const Number25519 &numerator, const Number25519 &denominator) {
        x_[n_] = numerator;
        z_[n_++] = denominator;
    }
    // Writes the results of the jobs, and empties the list. A quotient by 0 is 0, as RFC 7748, 5 wants it.
    void divide(X25519::Job *jobs) {
        invert(z_, products_, n_);
        for (size_t i = 0; i < n_; i++) {
            put_number(product(x_[i], z_[i]), jobs[i].result);
            uint8_t any = 0;
            for (const uint8_t byte : jobs[i].result) any |= byte;
            jobs[i].zero = !any;
        }
        n_ = 0;
    }

private:
    Number25519 x_[INVERTED_TOGETHER], z_[INVERTED_TOGETHER], products_[INVERTED_TOGETHER];
    size_t n_ = 0;
};

struct Work {
    LadderMemory ladders;
    Quotients quotients;
};

}  // namespace

int X25519::init(const Engine &engine, const char *kernel) {
    engine_ = &engine;
    if (int error = engine.fetch_all(kernel, [](const Variant &v) { return fits(v); }, &kernels_)) return error;
    std::vector<LanePlan::Choice> choices;
    for (const Variant *v : kernels_) choices.push_back({v->lanes, cycles(*v)});
    plan_ = std::make_unique<LanePlan>(choices);
    return CST_OK;
}

void X25519::run(Job *jobs, size_t n) const {
    const auto work = make_wiped<Work>();
    Quotients &quotients = work->quotients;
    for (size_t at = 0; at < n;) {
        const Variant &v = *kernels_[plan_->first(n - at)];
        const size_t count = std::min<size_t>(v.lanes, n - at);
        if (v.legacy_sse && engine_->avx()) clear_upper_halves();
        Ladders ladders(v, jobs + at, count, &work->ladders);
        ladders.run();
        if (!quotients.have_room(count)) quotients.divide(jobs + at - quotients.n());
        for (size_t lane = 0; lane < count; lane++) quotients.add(ladders.number(lane, 0), ladders.number(lane, 1));
        at += count;
    }
    quotients.divide(jobs + n - quotients.n());
}

}  // namespace cst
