// AES in counter mode, and CBC opened (SP 800-38A, 6.5 and 6.2), by vectors of four blocks and without a kernel: of short texts the copy of the key to a state block takes
// longer than the work.
#pragma once

#include "cryptostitch/cryptostitch.h"
#include "key.hpp"

namespace cst {

// Jobs of one suite, each with a text in one piece of at least a byte. Their last 32 bits count without a carry.
void aes_counter_wide(const cst_job *jobs, size_t n);
// Of whole blocks.
void aes_cbc_open_wide(const cst_job *jobs, size_t n);

}  // namespace cst
