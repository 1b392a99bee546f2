// Clears registers and the dead stack after the work.
#pragma once

#include <cstddef>

#include "../select/clear_registers.hpp"
#include "secret.hpp"

namespace cst {

// Clears these registers at the end of a scope, on every path.
class ClearRegisters {
public:
    explicit ClearRegisters(const Cpu &cpu) : state_(cpu.registers) {}
    ~ClearRegisters() { clear_registers(state_); }
    ClearRegisters(const ClearRegisters &) = delete;
    ClearRegisters &operator=(const ClearRegisters &) = delete;

private:
    RegisterState state_;
};

// Zeroes that many bytes of the stack below the caller: functions that it has called leave numbers there, which the
// compiler has put beside their variables.
template <size_t bytes>
[[gnu::noinline]] void clear_below() {
    uint8_t below[bytes];
    wipe(below, sizeof(below));
}

// Clears the stack at the end of a scope, on every path.
template <size_t bytes>
class ClearBelow {
public:
    ClearBelow() = default;
    ~ClearBelow() { clear_below<bytes>(); }
    ClearBelow(const ClearBelow &) = delete;
    ClearBelow &operator=(const ClearBelow &) = delete;
};

// Public-key operations leave numbers on CLEARED_STACK bytes; none goes deeper, which cst-residue sees on a painted
// stack: their large objects are on the heap (wiped.hpp).
constexpr size_t CLEARED_STACK = 14 << 10;
extern template void clear_below<CLEARED_STACK>();  // its frame is larger than others may be
typedef ClearBelow<CLEARED_STACK> ClearStack;

}  // namespace cst
