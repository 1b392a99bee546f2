// Montgomery products and powers in lanes, each lane with a modulus of its own: kernels of
// templates/streams/montgomery.j2, which share a state block.
#pragma once

#include <memory>
#include <vector>

#include "../select/engine.hpp"
#include "numbers/big_number.hpp"

namespace cst {

constexpr unsigned POWER_DIGIT_BITS = 4;
constexpr size_t POWER_NUMBERS = 1 << POWER_DIGIT_BITS;  // of a lane's table
constexpr unsigned LIMB_BITS = 52;
constexpr size_t MOST_LIMBS = 40, MOST_POWERS_IN_LANES = 8;

// One kernel for each operation, of moduli of so many bits.
struct PowerKernels {
    enum Operation { SQUARE, MULTIPLY, CHOOSE, OPERATIONS };
    const Variant *of[OPERATIONS] = {};
    size_t limbs = 0;

    size_t bits() const;
    size_t lanes() const { return of[0]->lanes; }
};

// Loads kernels for moduli of `bits` bits (1024, 1536 or 2048). kernel: NULL, or the name of one, which may be of
// another size. Returns CST_ERR_NAME: no such kernel; CST_ERR_UNSUPPORTED, CST_ERR_JIT, CST_ERR_MEMORY.
int fetch_power_kernels(const Engine &engine, const char *kernel, size_t bits, PowerKernels *out);

// Numbers of a lane are x, which all operations change, and y and a table, by which they multiply; R is 2^(52 limbs).
class PowerLanes {
public:
    explicit PowerLanes(const PowerKernels &kernels);
    ~PowerLanes();
    PowerLanes(const PowerLanes &) = delete;
    PowerLanes &operator=(const PowerLanes &) = delete;

    size_t lanes() const { return kernels_.lanes(); }
    size_t words() const { return kernels_.bits() / 64; }

    void put_modulus(size_t lane, const Modulus &modulus);
    // Numbers of words() words, below 2^bits.
    void put_x(size_t lane, const uint64_t *a);
    void put_y(size_t lane, const uint64_t *a);
    void put_entry(size_t lane, size_t i, const uint64_t *a);
    void put_digit(size_t lane, uint64_t digit);
    // x modulo m, of which x is less than three times as much.
    void get_x(size_t lane, const uint64_t *m, uint64_t *a) const;

    // In all lanes: x = x^2 / R, so often; x = x y / R; x = x times the digit's entry, / R.
    void square(uint64_t times = 1) { run(PowerKernels::SQUARE, times); }
    void multiply() { run(PowerKernels::MULTIPLY, 1); }
    void choose() { run(PowerKernels::CHOOSE, 1); }

    // In all lanes.
    void x_to_y();
    void x_to_entry(size_t i);
    void entry_to_x(size_t i);

private:
    void run(PowerKernels::Operation operation, uint64_t times);
    void put(size_t lane, uint8_t *rows, const uint64_t *a) const;
    uint8_t *number(size_t n) const { return key_ + n * limbs_ * pitch_; }

    const PowerKernels kernels_;
    size_t limbs_ = 0, pitch_ = 0, bytes_ = 0;
    uint32_t lane_offset_[MOST_POWERS_IN_LANES] = {};
    std::unique_ptr<uint8_t[]> memory_;
    uint8_t *state_ = nullptr, *chain_ = nullptr, *key_ = nullptr;
};

}  // namespace cst
