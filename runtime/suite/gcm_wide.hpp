// A GCM message (SP 800-38D, 7) by vectors of four blocks and without a kernel: what stands between two steps stays in
// registers, and nothing is copied to a state block.
#pragma once

#include "cryptostitch/cryptostitch.h"
#include "key.hpp"

namespace cst {

// Jobs that are alike: of one suite and direction, the same lengths, an IV of 12 bytes, the text in one piece. Sets
// their status and length; false: one is CST_ERR_AUTH, and what was written of its text must be wiped.
bool gcm_wide(cst_job *jobs, size_t n);

}  // namespace cst
