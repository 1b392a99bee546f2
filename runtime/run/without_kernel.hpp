// Texts of AES whose blocks do not wait for one another, and GCM messages, that are so short that a kernel's state
// block and its copy of the key take longer than the work: C++ that no proof covers (SOUNDNESS.md).
#pragma once

#include "message.hpp"

namespace cst {

// Runs jobs that are of one suite, direction and the lengths of the first, if they are such, and no kernel is forced.
// CST_OK, CST_ERR_AUTH, or JOB_WAITING: they are not, and nothing has happened.
int run_without_kernel(cst_job *jobs, size_t n);

}  // namespace cst
