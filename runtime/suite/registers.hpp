// Vector and mask registers after the work: kernels clear what they used, but the compiler's code and the C library's memcpy move keys and data through them too.
#pragma once

#include "../select/cpu.hpp"

namespace cst {

// Zeroes every vector and mask register that a call may change, as wide as the operating system saves them.
void clear_registers(RegisterState state);

// Zeroes the upper halves of the vector registers, without which code for SSE is slow on some CPUs. Needs "avx".
inline void clear_upper_halves() {
    __asm__ volatile("vzeroupper" : : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
                     "xmm13", "xmm14", "xmm15");
}

// Clears them at the end of a scope, on every path.
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
