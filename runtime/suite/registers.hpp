// Clears registers after the work: kernels clear what they used, but the compiler's code and the C library's memcpy
// move keys and data through registers, too.
#pragma once

#include <cstddef>

#include "../select/cpu.hpp"

namespace cst {

// Zeroes every register that a call may change, vectors as wide as the operating system saves them.
void clear_registers(RegisterState state);

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

// Zeroes CLEARED_STACK bytes of the stack below the caller: arithmetic in C++ leaves numbers there that the compiler
// has put beside the variables. No public-key operation goes deeper, which cst-residue sees on a painted stack: their
// large objects are on the heap (wiped.hpp).
constexpr size_t CLEARED_STACK = 14 << 10;
void clear_stack();

// Clears the stack at the end of a scope, on every path.
class ClearStack {
public:
    ClearStack() = default;
    ~ClearStack() { clear_stack(); }
    ClearStack(const ClearStack &) = delete;
    ClearStack &operator=(const ClearStack &) = delete;
};

}  // namespace cst
