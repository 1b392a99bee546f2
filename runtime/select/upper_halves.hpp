// Clears the upper halves of the vector registers before legacy SSE code, which they would slow down.
#pragma once

namespace cst {

inline void clear_upper_halves() {
    __asm__ volatile("vzeroupper"
                     :
                     :
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15");
}

}  // namespace cst
