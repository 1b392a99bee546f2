// AES in counter mode, CBC opened, and ECB (SP 800-38A, 6.5, 6.2 and 6.1), by vectors of four blocks and without a
// kernel: of short texts the copy of the key to a state block takes longer than the work.
#pragma once

#include "cryptostitch/cryptostitch.h"
#include "key.hpp"

namespace cst {

// Jobs of one suite, each with a text in one piece of at least a byte. Their last 32 bits count without a carry.
void aes_counter_wide(cst_job *jobs, size_t n);
// Of whole blocks.
void aes_cbc_open_wide(cst_job *jobs, size_t n);
// Of whole blocks; all in the direction of the first.
void aes_ecb_wide(cst_job *jobs, size_t n);

}  // namespace cst
