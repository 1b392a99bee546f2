// Runs messages of GCM (SP 800-38D) as lists of jobs, which a kernel takes by one call (streams/aes_gcm_list.j2).
#pragma once

#include "../select/kernel_call.hpp"

namespace cst {

// Bytes of IV and tag of jobs that such a kernel takes, and the most of AAD, of which there must be some.
constexpr size_t LISTED_IV = 12, LISTED_TAG = 16, MOST_LISTED_AAD = 48;

// Whether such a kernel takes jobs like this one, apart from its length, and from where its buffers lie.
inline bool takes_list(const cst_job &job) {
    return job.iv_len == LISTED_IV && job.tag_len == LISTED_TAG && job.aad_len - 1 < MOST_LISTED_AAD;
}

// Sets the functions that run jobs. call.parts.block: runs those that the kernel does not take.
void set_job_list(KernelCall *call);

}  // namespace cst
