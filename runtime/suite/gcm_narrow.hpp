// As gcm_wide.hpp, by vectors of one block, or of two where the CPU has VAES and VPCLMULQDQ for these.
#pragma once

#include "gcm_wide.hpp"

namespace cst {

// double_blocks: by vectors of two.
bool gcm_narrow(cst_job *jobs, size_t n, bool double_blocks);

}  // namespace cst
