#include "clear_registers.hpp"

namespace cst {
namespace {

// Win64 preserves xmm6 to xmm15: they hold the caller's values, or restored ones.
#ifdef _WIN32
#define CLEAR_LOW(zero) zero(0) zero(1) zero(2) zero(3) zero(4) zero(5)
#else
#define CLEAR_LOW(zero)                                                                                        \
    zero(0) zero(1) zero(2) zero(3) zero(4) zero(5) zero(6) zero(7) zero(8) zero(9) zero(10) zero(11) zero(12) \
        zero(13) zero(14) zero(15)
#endif
#define CLEAR_HIGH(zero)                                                                                        \
    zero(16) zero(17) zero(18) zero(19) zero(20) zero(21) zero(22) zero(23) zero(24) zero(25) zero(26) zero(27) \
        zero(28) zero(29) zero(30) zero(31)
#define SSE_ZERO(n) "pxor %%xmm" #n ", %%xmm" #n "\n\t"
#define AVX_ZERO(n) "vpxor %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n\t"
#define EVEX_ZERO(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
#define MASK_ZERO(n) "kxorw %%k" #n ", %%k" #n ", %%k" #n "\n\t"

// Names no clobbers: the caller of an API function expects these registers to change, and nothing here holds a value in
// them.
inline void clear_vectors(RegisterState state) {
    if (state == RegisterState::xmm) {
        __asm__ volatile(CLEAR_LOW(SSE_ZERO)::: "memory");
        return;
    }
    if (state == RegisterState::zmm) {
        __asm__ volatile(CLEAR_HIGH(EVEX_ZERO)::: "memory");
        __asm__ volatile(MASK_ZERO(0) MASK_ZERO(1) MASK_ZERO(2) MASK_ZERO(3) MASK_ZERO(4) MASK_ZERO(5) MASK_ZERO(6)
                             MASK_ZERO(7)::
                                 : "memory");
    }
    __asm__ volatile(CLEAR_LOW(AVX_ZERO) "vzeroupper" ::: "memory");
}

// Clears the registers that a function may change. Win64 preserves rsi and rdi.
inline void clear_general() {
    __asm__ volatile(
        "xor %%eax, %%eax\n\txor %%ecx, %%ecx\n\txor %%edx, %%edx\n\txor %%r8d, %%r8d\n\txor %%r9d, %%r9d\n\t"
        "xor %%r10d, %%r10d\n\txor %%r11d, %%r11d" ::
            : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "cc", "memory");
#ifndef _WIN32
    __asm__ volatile("xor %%esi, %%esi\n\txor %%edi, %%edi" ::: "rsi", "rdi", "cc", "memory");
#endif
}

}  // namespace

void clear_registers(RegisterState state) {
    clear_vectors(state);
    clear_general();
}

}  // namespace cst
