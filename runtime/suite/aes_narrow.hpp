// What aes_wide.hpp does, for CPUs without its vectors of four blocks: eight or ten blocks side by side by AES-NI, and
// by 256-bit VAES sixteen. Legacy SSE code follows: the upper halves of vector registers had better be clear.
#pragma once

#include "cryptostitch/cryptostitch.h"
#include "key.hpp"

namespace cst {

// As there. vaes: the CPU has AVX2 and VAES.
void aes_counter_narrow(cst_job *jobs, size_t n, bool vaes);
void aes_cbc_open_narrow(cst_job *jobs, size_t n, bool vaes);
void aes_ecb_narrow(cst_job *jobs, size_t n, bool vaes);

}  // namespace cst
