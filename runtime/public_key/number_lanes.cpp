#include "number_lanes.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "numbers/field25519.hpp"
#include "../suite/secret.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

size_t limbs_of(const NumberLayout &layout, const Part &part) { return part.key_rows / layout.key; }

bool fits(const NumberLayout &layout, const Part &part) {
    const size_t limbs = limbs_of(layout, part);
    return std::count(std::begin(NUMBER_WIDTHS), std::end(NUMBER_WIDTHS), limbs) &&
           part.key_rows == layout.key * limbs && part.chain_rows == layout.chain * limbs + DIGIT_WORDS &&
           part.key_row_bytes == part.chain_row_bytes && part.table_bytes == layout.table * limbs * sizeof(uint64_t) &&
           std::all_of(part.lanes.begin(), part.lanes.end(), [&](const LanePlace &its) {
               return its.key - its.chain == part.lanes[0].key - part.lanes[0].chain &&
                      its.chain >= part.lanes[0].chain && its.table != NO_FIELD;
           });
}

bool fits(const NumberLayout &layout, const Variant &v) {
    return v.role == Role::arithmetic && !strcmp(v.cipher.algorithm->record.suite, layout.suite) &&
           fits(layout, v.cipher) && (v.hash.lanes.empty() || fits(layout, v.hash)) && v.lanes <= MOST_LANES &&
           !v.instead;
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
    return !strcmp(a.target, b.target) && a.n_streams == b.n_streams && a.cipher.key_rows == b.cipher.key_rows &&
           same_places(a.cipher, a.state_offset[0], b.cipher, b.state_offset[0]) &&
           same_places(a.hash, a.state_offset[1], b.hash, b.state_offset[1]);
}

size_t operation_of(const NumberLayout &layout, const Variant &v) {
    return size_t(std::find_if(layout.names, layout.names + layout.operations,
                               [&](const char *name) { return !strcmp(v.cipher.algorithm->record.name, name); }) -
                  layout.names);
}

}  // namespace

int fetch_number_kernels(const Engine &engine, const NumberLayout &layout, const char *kernel,
                         std::vector<NumberKernels> *out) {
    std::vector<const Variant *> all, wanted;
    const auto fits_here = [&](const Variant &v) { return fits(layout, v); };
    if (kernel)
        if (int error = engine.fetch_all(kernel, fits_here, &wanted)) return error;
    if (int error = engine.fetch_all(nullptr, fits_here, &all)) return error;
    for (const Variant *v : all) {
        if (operation_of(layout, *v) != 0) continue;
        NumberKernels kernels;
        kernels.layout = &layout;
        kernels.of[0] = v;
        for (const Variant *other : all)
            if (const size_t at = operation_of(layout, *other);
                at < layout.operations && kernels.need(at) && go_together(*v, *other))
                kernels.of[at] = other;
        bool complete = true;
        for (size_t i = 0; i < layout.operations; i++) complete &= !kernels.need(i) || kernels.of[i];
        const bool asked = wanted.empty() || std::count(kernels.of, kernels.of + layout.operations, wanted[0]);
        if (complete && asked) out->push_back(kernels);
    }
    return out->empty() ? CST_ERR_UNSUPPORTED : CST_OK;
}

double cycles_of(const NumberKernels &kernels, const OperationCount *counts) {
    double cycles = 0;
    for (size_t i = 0; i < kernels.layout->operations; i++) {
        if (!kernels.need(i)) continue;
        const Cost &cost = kernels.of[i]->cost;
        cycles += counts[i].calls * cost.per_call + counts[i].iterations * cost.per_iteration;
    }
    return cycles;
}

NumberLanes::NumberLanes(const NumberKernels &kernels) : kernels_(kernels) {
    const NumberLayout &layout = *kernels.layout;
    size_t block[2] = {}, align = 64;
    for (size_t o = 0; o < layout.operations; o++) {
        if (!kernels.need(o)) continue;
        const Variant &v = *kernels.of[o];
        for (uint32_t i = 0; i < v.n_streams; i++) {
            const uint32_t end = i + 1 < v.n_streams ? v.state_offset[i + 1] : v.state_bytes;
            block[i] = std::max<size_t>(block[i], end - v.state_offset[i]);
        }
        align = std::max<size_t>(align, v.state_align);
    }
    block[0] = (block[0] + align - 1) / align * align;
    bytes_ = block[0] + block[1] + align;
    memory_ = std::make_unique<uint8_t[]>(bytes_);
    uint8_t *const first = memory_.get() + (align - reinterpret_cast<uintptr_t>(memory_.get()) % align) % align;

    const Variant &v = *kernels.of[0];
    size_t lane = 0;
    for (const Part *part : {&v.cipher, &v.hash}) {
        if (part->lanes.empty()) continue;
        const size_t limbs = limbs_of(layout, *part), base = v.state_offset[n_streams_];
        const LanePlace &its = part->lanes[0];
        uint8_t *const state = first + n_streams_ * block[0];
        args_.state[n_streams_] = state;
        for (const LanePlace &place : part->lanes)
            place_[lane++] = {limbs, part->chain_row_bytes, saved_bytes_ + (place.chain - its.chain),
                              state + (place.chain - base), state + (place.key - base)};
        stream_[n_streams_] = {limbs,
                               part->chain_row_bytes,
                               (layout.chain * limbs + DIGIT_WORDS) * part->chain_row_bytes,
                               state + (its.chain - base),
                               state + (its.key - base),
                               state + (its.table - base)};
        saved_bytes_ += stream_[n_streams_++].bytes;
    }
}

NumberLanes::~NumberLanes() { wipe(memory_.get(), bytes_); }

void NumberLanes::run_operation(size_t operation, uint64_t iterations) {
    const Variant &v = *kernels_.of[operation];
    args_.iterations = iterations;
    v.kernel.load(std::memory_order_acquire)->fn(&args_);
    v.calls.add(1);
}

void NumberLanes::put_key(size_t lane, size_t number, const uint8_t *bytes) {
    const Place &at = place_[lane];
    put_limbs(bytes, at.key + number * at.limbs * at.pitch, at.limbs, at.pitch);
}

void NumberLanes::put_key_limbs(size_t lane, size_t number, const uint64_t *limbs) {
    const Place &at = place_[lane];
    uint8_t *const key = at.key + number * at.limbs * at.pitch;
    for (size_t i = 0; i < at.limbs; i++) memcpy(key + i * at.pitch, limbs + i, sizeof(limbs[i]));
}

void NumberLanes::put_chain_limbs(size_t lane, size_t number, const uint64_t *limbs) {
    const Place &at = place_[lane];
    uint8_t *const chain = at.chain + number * at.limbs * at.pitch;
    for (size_t i = 0; i < at.limbs; i++) memcpy(chain + i * at.pitch, limbs + i, sizeof(limbs[i]));
}

void NumberLanes::put_chain(size_t lane, size_t number, const uint8_t *bytes) {
    const Place &at = place_[lane];
    put_limbs(bytes, at.chain + number * at.limbs * at.pitch, at.limbs, at.pitch);
}

const uint8_t *NumberLanes::chain(size_t lane, size_t number) const {
    const Place &at = place_[lane];
    return at.chain + number * at.limbs * at.pitch;
}

void NumberLanes::put_words(size_t lane, const uint64_t (&words)[DIGIT_WORDS]) {
    const Place &at = place_[lane];
    uint8_t *const to = at.chain + kernels_.layout->chain * at.limbs * at.pitch;
    for (size_t i = 0; i < DIGIT_WORDS; i++) memcpy(to + i * at.pitch, &words[i], sizeof(words[i]));
}

void NumberLanes::copy_to_keys(size_t to, size_t numbers) {
    for (size_t i = 0; i < n_streams_; i++) {
        const Lanes &its = stream_[i];
        memcpy(its.keys + to * its.limbs * its.pitch, its.chains, numbers * its.limbs * its.pitch);
    }
}

void NumberLanes::save(uint8_t *to) const {
    for (size_t i = 0; i < n_streams_; to += stream_[i++].bytes) memcpy(to, stream_[i].chains, stream_[i].bytes);
}

void NumberLanes::restore(const uint8_t *from) {
    for (size_t i = 0; i < n_streams_; from += stream_[i++].bytes) memcpy(stream_[i].chains, from, stream_[i].bytes);
}

void NumberLanes::take_factor(const uint8_t *saved, size_t number) {
    for (size_t lane = 0; lane < lanes(); lane++) {
        const Place &at = place_[lane];
        const uint8_t *const from = saved + at.saved + number * at.limbs * at.pitch;
        for (size_t i = 0; i < at.limbs; i++) memcpy(at.key + i * at.pitch, from + i * at.pitch, sizeof(uint64_t));
    }
}

}  // namespace cst
