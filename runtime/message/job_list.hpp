// Runs messages of GCM (SP 800-38D) as lists of jobs, which a kernel takes by one call (streams/aes_gcm_list.j2).
#pragma once

#include "../select/kernel_call.hpp"

namespace cst {

// Bytes of IV and tag of jobs that such a kernel takes. There must be AAD, of SHORT_MESSAGE_AAD bytes at most.
constexpr size_t LISTED_IV = 12, LISTED_TAG = 16;

// Whether such a kernel takes jobs like this one, apart from its length, and from where its buffers lie.
inline bool takes_list(const cst_job &job) {
    return job.iv_len == LISTED_IV && job.tag_len == LISTED_TAG && job.aad_len - 1 < SHORT_MESSAGE_AAD;
}

// Sets the functions that run jobs. call.parts.block: runs those that the kernel does not take.
void set_job_list(KernelCall *call);

}  // namespace cst
