#include "modular_power.hpp"

#include <algorithm>
#include <cstring>

#include "../suite/secret.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

// Numbers of the key (generator/cryptostitch/core/montgomery.py)
enum { Y, TABLE, MODULUS = TABLE + POWER_NUMBERS, RADIX_INVERSE, KEY_NUMBERS };
constexpr uint64_t LIMB_MASK = (uint64_t(1) << LIMB_BITS) - 1;
constexpr size_t SIZES[][2] = {{20, 1024}, {30, 1536}, {40, 2048}};  // limbs, bits
constexpr const char *NAMES[PowerKernels::OPERATIONS] = {"square", "multiply", "choose"};

size_t limbs_of(const Variant &v) { return v.cipher.chain_rows - 1; }

bool fits(const Variant &v) {
    const Part &part = v.cipher;
    return v.role == Role::arithmetic && !strcmp(part.algorithm->record.suite, "montgomery") && v.hash.lanes.empty() &&
           v.lanes <= MOST_POWERS_IN_LANES && !v.instead && part.chain_rows > 1 && limbs_of(v) <= MOST_LIMBS &&
           part.key_rows == KEY_NUMBERS * limbs_of(v) + 1 && part.key_row_bytes == part.chain_row_bytes &&
           std::all_of(part.lanes.begin(), part.lanes.end(), [&](const LanePlace &its) {
               return its.key - its.chain == part.lanes[0].key - part.lanes[0].chain;
           });
}

// The operation that a kernel's name ends with.
size_t operation_of(const Variant &v) {
    const char *const name = strchr(v.cipher.algorithm->record.name, '_');
    return size_t(std::find_if(NAMES, NAMES + PowerKernels::OPERATIONS,
                               [&](const char *other) { return name && !strcmp(name + 1, other); }) -
                  NAMES);
}

bool go_together(const Variant &a, const Variant &b) {
    return !strcmp(a.target, b.target) && a.lanes == b.lanes && limbs_of(a) == limbs_of(b) &&
           a.cipher.chain_row_bytes == b.cipher.chain_row_bytes &&
           std::equal(a.cipher.lanes.begin(), a.cipher.lanes.end(), b.cipher.lanes.begin(),
                      [](const LanePlace &x, const LanePlace &y) { return x.chain == y.chain && x.key == y.key; });
}

}  // namespace

size_t PowerKernels::bits() const {
    for (const auto &size : SIZES)
        if (size[0] == limbs) return size[1];
    return 0;
}

int fetch_power_kernels(const Engine &engine, const char *kernel, size_t bits, PowerKernels *out) {
    std::vector<const Variant *> all;
    const auto fits_here = [](const Variant &v) { return fits(v); };
    if (kernel)
        if (int error = engine.fetch_all(kernel, fits_here, &all)) return error;
    all.clear();
    if (int error = engine.fetch_all(nullptr, fits_here, &all)) return error;
    for (const Variant *first : all) {
        PowerKernels kernels;
        kernels.limbs = limbs_of(*first);
        if (kernels.bits() != bits || operation_of(*first)) continue;
        for (const Variant *other : all)
            if (const size_t at = operation_of(*other); at < PowerKernels::OPERATIONS && go_together(*first, *other))
                kernels.of[at] = other;
        if (std::count(kernels.of, kernels.of + PowerKernels::OPERATIONS, nullptr)) continue;
        *out = kernels;
        return CST_OK;
    }
    return CST_ERR_UNSUPPORTED;
}

PowerLanes::PowerLanes(const PowerKernels &kernels) : kernels_(kernels), limbs_(kernels.limbs) {
    size_t size = 0, align = 64;
    for (const Variant *v : kernels.of) {
        size = std::max<size_t>(size, v->state_bytes);
        align = std::max<size_t>(align, v->state_align);
    }
    const Part &part = kernels.of[0]->cipher;
    pitch_ = part.chain_row_bytes;
    bytes_ = size + align;
    memory_ = std::make_unique<uint8_t[]>(bytes_);
    state_ = memory_.get() + (align - reinterpret_cast<uintptr_t>(memory_.get()) % align) % align;
    uint32_t first = NO_FIELD;
    for (const LanePlace &its : part.lanes) first = std::min(first, its.chain);
    for (size_t i = 0; i < part.lanes.size(); i++) lane_offset_[i] = part.lanes[i].chain - first;
    chain_ = state_ + first;
    key_ = chain_ + (part.lanes[0].key - part.lanes[0].chain);
}

PowerLanes::~PowerLanes() { wipe(memory_.get(), bytes_); }

void PowerLanes::run(PowerKernels::Operation operation, uint64_t times) {
    const Variant &v = *kernels_.of[operation];
    cst_kernel_args args;
    args.iterations = times;
    args.state[0] = state_ + v.state_offset[0];
    v.kernel.load(std::memory_order_acquire)->fn(&args);
    v.calls.add(1);
}

void PowerLanes::put(size_t lane, uint8_t *rows, const uint64_t *a) const {
    const size_t n = words();
    for (size_t i = 0; i < limbs_; i++) {
        const size_t bit = i * LIMB_BITS, word = bit / 64, shift = bit % 64;
        uint64_t limb = word < n ? a[word] >> shift : 0;
        if (shift > 64 - LIMB_BITS && word + 1 < n) limb |= a[word + 1] << (64 - shift);
        limb &= LIMB_MASK;
        memcpy(rows + i * pitch_ + lane_offset_[lane], &limb, sizeof(limb));
    }
}

void PowerLanes::put_modulus(size_t lane, const Modulus &modulus) {
    uint64_t radix_inverse[MOST_NUMBER_WORDS / 2] = {1};
    modulus.shift_down(radix_inverse, LIMB_BITS);
    put(lane, number(MODULUS), modulus.m);
    put(lane, number(RADIX_INVERSE), radix_inverse);
    wipe(radix_inverse, sizeof(radix_inverse));
    const uint64_t inverse = modulus.inverse & LIMB_MASK;
    memcpy(number(KEY_NUMBERS) + lane_offset_[lane], &inverse, sizeof(inverse));
}

void PowerLanes::put_x(size_t lane, const uint64_t *a) { put(lane, chain_, a); }
void PowerLanes::put_y(size_t lane, const uint64_t *a) { put(lane, number(Y), a); }
void PowerLanes::put_entry(size_t lane, size_t i, const uint64_t *a) { put(lane, number(TABLE + i), a); }

void PowerLanes::put_digit(size_t lane, uint64_t digit) {
    memcpy(chain_ + limbs_ * pitch_ + lane_offset_[lane], &digit, sizeof(digit));
}

void PowerLanes::get_x(size_t lane, const uint64_t *m, uint64_t *a) const {
    uint64_t x[MOST_NUMBER_WORDS / 2 + 2] = {};
    for (size_t i = 0; i < limbs_; i++) {
        uint64_t limb;
        memcpy(&limb, chain_ + i * pitch_ + lane_offset_[lane], sizeof(limb));
        const size_t bit = i * LIMB_BITS, word = bit / 64, shift = bit % 64;
        x[word] |= limb << shift;
        if (shift > 64 - LIMB_BITS) x[word + 1] |= limb >> (64 - shift);
    }
    const size_t n = words();
    x[n] = subtract_if_not_less(x, x[n], m, n);
    subtract_if_not_less(x, x[n], m, n);
    memcpy(a, x, n * sizeof(*a));
    wipe(x, sizeof(x));
}

void PowerLanes::x_to_y() { memcpy(number(Y), chain_, limbs_ * pitch_); }
void PowerLanes::x_to_entry(size_t i) { memcpy(number(TABLE + i), chain_, limbs_ * pitch_); }
void PowerLanes::entry_to_x(size_t i) { memcpy(chain_, number(TABLE + i), limbs_ * pitch_); }

}  // namespace cst
