// Messages that are one call each of a kernel, straight from the jobs: what stands between two of their steps stays in
// its registers, and nothing is copied to a state block but pointers.
#pragma once

#include "message.hpp"

namespace cst {

// Runs jobs of one suite, direction and length if they are such: texts in one piece, of a cipher alone or of GCM (SP
// 800-38D) with an IV of 12 bytes and a short AAD. CST_OK, CST_ERR_AUTH, or JOB_WAITING: they are not, or other kernels
// take less, and nothing has happened.
int run_one_call(cst_job *jobs, size_t n);

}  // namespace cst
