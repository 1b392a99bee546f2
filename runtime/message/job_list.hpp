// Runs messages of GCM and texts as lists of jobs, which a kernel takes by one call (streams/aes_gcm_list.j2,
// aes_list.j2).
#pragma once

#include "../select/kernel_call.hpp"

namespace cst {

// Sets the functions that run jobs, whose counters have room for their texts. call.parts.block: runs those that the
// kernel does not take.
void set_job_list(KernelCall *call);

}  // namespace cst
