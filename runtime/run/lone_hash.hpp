// A digest or an HMAC of one job, on a kernel of one lane: state block and what is put together lie on the stack.
#pragma once

#include "../suite/key.hpp"
#include "work.hpp"

namespace cst {

// Whether the job, checked, is such a one.
bool lone_hash_takes(const cst_job &job);
// Runs it: CST_OK, or CST_ERR_AUTH. Without a kernel it leaves it waiting.
int run_lone_hash(cst_job *job);

}  // namespace cst
