#include "point_lanes.hpp"

#include <algorithm>
#include <cstring>

#include "../suite/secret.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

constexpr const char *NAMES[POINT_OPERATIONS] = {"ed25519_double",     "ed25519_add",    "ed25519_add_own",
                                                 "ed25519_add_common", "ed25519_cached", "ed25519_square",
                                                 "ed25519_multiply"};
constexpr size_t KEPT = 4;  // powers, while a number is raised

size_t limbs_of(const Part &part) { return part.key_rows / PointKey::NUMBERS; }

size_t common_bytes(size_t limbs) { return COMMON_NUMBERS * limbs * sizeof(uint64_t); }

bool fits(const Part &part) {
    const size_t limbs = limbs_of(part);
    return std::count(std::begin(NUMBER_WIDTHS), std::end(NUMBER_WIDTHS), limbs) &&
           part.key_rows == PointKey::NUMBERS * limbs &&
           part.chain_rows == PointChain::NUMBERS * limbs + PointChain::WORDS &&
           part.key_row_bytes == part.chain_row_bytes && part.table_bytes == common_bytes(limbs) &&
           std::all_of(part.lanes.begin(), part.lanes.end(), [&](const LanePlace &its) {
               return its.key - its.chain == part.lanes[0].key - part.lanes[0].chain &&
                      its.chain >= part.lanes[0].chain && its.table != NO_FIELD;
           });
}

bool fits(const Variant &v) {
    return v.role == Role::arithmetic && !strcmp(v.cipher.algorithm->record.suite, "ed25519") && fits(v.cipher) &&
           (v.hash.lanes.empty() || fits(v.hash)) && v.lanes <= MOST_POINTS && !v.instead;
}

// Whether lanes have the same places within their stream's block; blocks of one kernel need not be as long as those of
// another.
bool same_places(const Part &a, uint32_t block_a, const Part &b, uint32_t block_b) {
    return a.chain_row_bytes == b.chain_row_bytes &&
           std::equal(a.lanes.begin(), a.lanes.end(), b.lanes.begin(), b.lanes.end(),
                      [&](const LanePlace &x, const LanePlace &y) {
                          return x.chain - block_a == y.chain - block_b && x.key - block_a == y.key - block_b &&
                                 x.table - block_a == y.table - block_b;
                      });
}

bool go_together(const Variant &a, const Variant &b) {
    return !strcmp(a.target, b.target) && a.n_streams == b.n_streams && limbs_of(a.cipher) == limbs_of(b.cipher) &&
           same_places(a.cipher, a.state_offset[0], b.cipher, b.state_offset[0]) &&
           same_places(a.hash, a.state_offset[1], b.hash, b.state_offset[1]);
}

size_t operation_of(const Variant &v) {
    return size_t(std::find_if(NAMES, NAMES + POINT_OPERATIONS,
                               [&](const char *name) { return !strcmp(v.cipher.algorithm->record.name, name); }) -
                  NAMES);
}

}  // namespace

int fetch_point_kernels(const Engine &engine, const char *kernel, std::vector<PointKernels> *out) {
    std::vector<const Variant *> all, wanted;
    const auto fits_here = [](const Variant &v) { return fits(v); };
    if (kernel)
        if (int error = engine.fetch_all(kernel, fits_here, &wanted)) return error;
    if (int error = engine.fetch_all(nullptr, fits_here, &all)) return error;
    for (const Variant *v : all) {
        if (operation_of(*v) != 0) continue;
        PointKernels kernels;
        for (const Variant *other : all)
            if (const size_t at = operation_of(*other); at < POINT_OPERATIONS && go_together(*v, *other))
                kernels.of[at] = other;
        const bool complete =
            std::all_of(kernels.of, kernels.of + POINT_OPERATIONS, [](const Variant *of) { return of != nullptr; });
        const bool asked = wanted.empty() || std::count(kernels.of, kernels.of + POINT_OPERATIONS, wanted[0]);
        if (complete && asked) out->push_back(kernels);
    }
    return out->empty() ? CST_ERR_UNSUPPORTED : CST_OK;
}

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

PointLanes::PointLanes(const PointKernels &kernels) : kernels_(kernels) {
    size_t block[2] = {}, align = 64;
    for (const Variant *v : kernels.of) {
        for (uint32_t i = 0; i < v->n_streams; i++) {
            const uint32_t end = i + 1 < v->n_streams ? v->state_offset[i + 1] : v->state_bytes;
            block[i] = std::max<size_t>(block[i], end - v->state_offset[i]);
        }
        align = std::max<size_t>(align, v->state_align);
    }
    block[0] = (block[0] + align - 1) / align * align;
    bytes_ = block[0] + block[1] + align;
    memory_ = std::make_unique<uint8_t[]>(bytes_);
    uint8_t *const first = memory_.get() + (align - reinterpret_cast<uintptr_t>(memory_.get()) % align) % align;

    const Variant &v = *kernels.of[0];
    size_t lane = 0;
    for (const Part *part : {&v.cipher, &v.hash}) {
        if (part->lanes.empty()) continue;
        const size_t limbs = limbs_of(*part), base = v.state_offset[n_streams_];
        const LanePlace &its = part->lanes[0];
        uint8_t *const state = first + n_streams_ * block[0];
        args_.state[n_streams_] = state;
        for (const LanePlace &place : part->lanes)
            place_[lane++] = {limbs, part->chain_row_bytes, saved_bytes_ + (place.chain - its.chain),
                              state + (place.chain - base), state + (place.key - base)};
        stream_[n_streams_] = {limbs, part->chain_row_bytes, state + (its.chain - base), state + (its.key - base),
                               state + (its.table - base)};
        saved_bytes_ += stream_[n_streams_++].bytes();
    }
    for (size_t i = 0; i < lanes(); i++) put_key(i, PointKey::TWICE_D, TWICE_D_25519);
    for (size_t i = 0; i < lanes(); i++) put_point(i, neutral_point());
    neutral_ = std::make_unique<uint8_t[]>(saved_bytes_);
    kept_ = std::make_unique<uint8_t[]>(KEPT * saved_bytes_);
    save(neutral_.get());
}

PointLanes::~PointLanes() {
    wipe(memory_.get(), bytes_);
    wipe(kept_.get(), KEPT * saved_bytes_);
}

void PointLanes::run(PointOperation operation, uint64_t iterations) {
    const Variant &v = kernels_.kernel(operation);
    args_.iterations = iterations;
    v.kernel.load(std::memory_order_acquire)->fn(&args_);
    v.calls.add(1);
}

void PointLanes::put_chain(size_t lane, size_t number, const Number25519 &n) {
    const Place &at = place_[lane];
    uint8_t bytes[POINT_BYTES];
    cst::put_number(n, bytes);
    put_limbs(bytes, at.chain + number * at.limbs * at.pitch, at.limbs, at.pitch);
    wipe(bytes, sizeof(bytes));
}

Number25519 PointLanes::chain(size_t lane, size_t number) const {
    const Place &at = place_[lane];
    return number_from_limbs(at.chain + number * at.limbs * at.pitch, at.limbs, at.pitch);
}

void PointLanes::make_neutral() { restore(neutral_.get()); }

void PointLanes::put_point(size_t lane, const AffinePoint &point) {
    const Place &at = place_[lane];
    put_chain(lane, PointChain::E, point.x);
    for (const size_t number : {PointChain::F, PointChain::G})
        put_limbs(ONE_25519, at.chain + number * at.limbs * at.pitch, at.limbs, at.pitch);
    put_chain(lane, PointChain::H, point.y);
}

ChainPoint PointLanes::point(size_t lane) const {
    return {chain(lane, PointChain::E), chain(lane, PointChain::F), chain(lane, PointChain::G),
            chain(lane, PointChain::H)};
}

void PointLanes::put_number(size_t lane, const Number25519 &n) { put_chain(lane, PointChain::N, n); }

Number25519 PointLanes::number(size_t lane) const { return chain(lane, PointChain::N); }

void PointLanes::put_key(size_t lane, size_t number, const uint8_t *bytes) {
    const Place &at = place_[lane];
    put_limbs(bytes, at.key + number * at.limbs * at.pitch, at.limbs, at.pitch);
}

void PointLanes::put_key_limbs(size_t lane, size_t number, const uint64_t *limbs) {
    const Place &at = place_[lane];
    uint8_t *const key = at.key + number * at.limbs * at.pitch;
    for (size_t i = 0; i < at.limbs; i++) memcpy(key + i * at.pitch, limbs + i, sizeof(limbs[i]));
}

void PointLanes::put_digit(size_t lane, int digit) {
    const Place &at = place_[lane];
    const uint64_t sign = uint64_t(int64_t(digit)) >> 63,
                   words[PointChain::WORDS] = {(uint64_t(int64_t(digit)) ^ (0 - sign)) + sign, sign};
    uint8_t *const to = at.chain + PointChain::NUMBERS * at.limbs * at.pitch;
    for (size_t i = 0; i < PointChain::WORDS; i++) memcpy(to + i * at.pitch, &words[i], sizeof(words[i]));
}

void PointLanes::put_common(const NumberTable &numbers, size_t i) {
    for (size_t stream = 0; stream < n_streams_; stream++) {
        const Lanes &its = stream_[stream];
        memcpy(its.table, numbers.from(its.limbs, i), common_bytes(its.limbs));
    }
}

void PointLanes::save(uint8_t *to) const {
    for (size_t i = 0; i < n_streams_; to += stream_[i++].bytes()) memcpy(to, stream_[i].chains, stream_[i].bytes());
}

void PointLanes::restore(const uint8_t *from) {
    for (size_t i = 0; i < n_streams_; from += stream_[i++].bytes())
        memcpy(stream_[i].chains, from, stream_[i].bytes());
}

void PointLanes::copy_to_keys(size_t number) {
    for (size_t i = 0; i < n_streams_; i++) {
        const Lanes &its = stream_[i];
        memcpy(its.keys + number * its.limbs * its.pitch, its.chains, PointKey::POINT * its.limbs * its.pitch);
    }
}

void PointLanes::take_factor(const uint8_t *saved) {
    for (size_t lane = 0; lane < lanes(); lane++) {
        const Place &at = place_[lane];
        const uint8_t *const from = saved + at.saved + PointChain::N * at.limbs * at.pitch;
        for (size_t i = 0; i < at.limbs; i++) memcpy(at.key + i * at.pitch, from + i * at.pitch, sizeof(uint64_t));
    }
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
            take_factor(kept_.get() + size_t(step.times) * saved_bytes_);
            run(PointOperation::multiply);
        }
        if (step.keep >= 0) save(kept_.get() + size_t(step.keep) * saved_bytes_);
    }
}

}  // namespace cst
