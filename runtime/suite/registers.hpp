// Clears registers after the work: kernels clear what they used, but the compiler's code and the C library's memcpy
// move keys and data through registers, too.
#pragma once

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

}  // namespace cst
