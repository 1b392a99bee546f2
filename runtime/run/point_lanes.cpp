#include "point_lanes.hpp"

#include <algorithm>
#include <cstring>

#include "../suite/secret.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

constexpr const char *NAMES[POINT_OPERATIONS] = {"ed25519_double", "ed25519_add", "ed25519_cached", "ed25519_square",
                                                 "ed25519_multiply"};

size_t limbs_of(const Part &part) { return part.key_rows / PointKey::NUMBERS; }

bool fits(const Part &part) {
    const size_t limbs = limbs_of(part);
    return (limbs == 4 || limbs == 5 || limbs == 10) && part.key_rows == PointKey::NUMBERS * limbs &&
           part.chain_rows == PointChain::NUMBERS * limbs;
}

bool fits(const Variant &v) {
    return v.role == Role::arithmetic && !strcmp(v.cipher.algorithm->record.suite, "ed25519") && fits(v.cipher) &&
           (v.hash.lanes.empty() || fits(v.hash)) && v.lanes <= MOST_POINTS && !v.instead;
}

bool same_places(const Part &a, const Part &b) {
    return a.chain_rows == b.chain_rows && a.chain_row_bytes == b.chain_row_bytes &&
           a.key_row_bytes == b.key_row_bytes &&
           std::equal(a.lanes.begin(), a.lanes.end(), b.lanes.begin(), b.lanes.end(),
                      [](const LanePlace &x, const LanePlace &y) { return x.chain == y.chain && x.key == y.key; });
}

// Places within a stream's block, because blocks of several streams have other sizes in other kernels.
bool go_together(const Variant &a, const Variant &b) {
    return !strcmp(a.target, b.target) && a.n_streams == b.n_streams && a.lanes == b.lanes &&
           limbs_of(a.cipher) == limbs_of(b.cipher) && same_places(a.cipher, b.cipher) && same_places(a.hash, b.hash);
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
        const size_t stream = n_chains_++, limbs = limbs_of(*part), base = v.state_offset[stream];
        uint8_t *const state = first + stream * block[0];
        args_.state[stream] = state;
        size_t begin = SIZE_MAX;
        for (const LanePlace &its : part->lanes) begin = std::min<size_t>(begin, its.chain - base);
        chains_[stream] = {state + begin, part->chain_rows * part->chain_row_bytes};
        for (const LanePlace &its : part->lanes)
            place_[lane++] = {limbs,
                              part->chain_row_bytes,
                              part->key_row_bytes,
                              saved_bytes_ + (its.chain - base - begin),
                              state + its.chain - base,
                              state + its.key - base};
        saved_bytes_ += chains_[stream].bytes;
    }
    for (size_t i = 0; i < lanes(); i++) {
        put_key(i, PointKey::TWICE_D, TWICE_D_25519);
        put_key(i, PointKey::MINUS_TWICE_D, MINUS_TWICE_D_25519);
    }
    make_neutral();
}

PointLanes::~PointLanes() { wipe(memory_.get(), bytes_); }

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
    put_limbs(bytes, at.chain + number * at.limbs * at.chain_pitch, at.limbs, at.chain_pitch);
    wipe(bytes, sizeof(bytes));
}

Number25519 PointLanes::chain(size_t lane, size_t number) const {
    const Place &at = place_[lane];
    return number_from_limbs(at.chain + number * at.limbs * at.chain_pitch, at.limbs, at.chain_pitch);
}

void PointLanes::make_neutral() {
    const AffinePoint neutral = neutral_point();
    for (size_t i = 0; i < lanes(); i++) put_point(i, neutral);
}

void PointLanes::put_point(size_t lane, const AffinePoint &point) {
    const Number25519 one = neutral_point().y;
    put_chain(lane, PointChain::E, point.x);
    put_chain(lane, PointChain::F, one);
    put_chain(lane, PointChain::G, one);
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
    put_limbs(bytes, at.key + number * at.limbs * at.key_pitch, at.limbs, at.key_pitch);
}

void PointLanes::put_key_limbs(size_t lane, size_t number, const uint64_t *limbs) {
    const Place &at = place_[lane];
    uint8_t *const key = at.key + number * at.limbs * at.key_pitch;
    for (size_t i = 0; i < at.limbs; i++) memcpy(key + i * at.key_pitch, limbs + i, sizeof(limbs[i]));
}

void PointLanes::save(uint8_t *to) const {
    for (size_t i = 0; i < n_chains_; to += chains_[i++].bytes) memcpy(to, chains_[i].from, chains_[i].bytes);
}

void PointLanes::restore(const uint8_t *from) {
    for (size_t i = 0; i < n_chains_; from += chains_[i++].bytes) memcpy(chains_[i].from, from, chains_[i].bytes);
}

void PointLanes::take_key(size_t lane, size_t number, const uint8_t *saved, size_t which) {
    const Place &at = place_[lane];
    const uint8_t *from = saved + at.saved + which * at.limbs * at.chain_pitch;
    uint8_t *to = at.key + number * at.limbs * at.key_pitch;
    for (size_t i = 0; i < at.limbs; i++, from += at.chain_pitch, to += at.key_pitch) memcpy(to, from, 8);
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
    constexpr size_t KEPT = 4;
    const std::unique_ptr<uint8_t[]> kept(new uint8_t[KEPT * saved_bytes_]);
    save(kept.get());
    for (const auto &step : steps) {
        if (step.squares) run(PointOperation::square, step.squares);
        if (step.times >= 0) {
            for (size_t lane = 0; lane < lanes(); lane++)
                take_key(lane, 0, kept.get() + size_t(step.times) * saved_bytes_, PointChain::N);
            run(PointOperation::multiply);
        }
        if (step.keep >= 0) save(kept.get() + size_t(step.keep) * saved_bytes_);
    }
    wipe(kept.get(), KEPT * saved_bytes_);
}

}  // namespace cst
