// Runs messages as lists of jobs, which a kernel takes by one call: of GCM (SP 800-38D; streams/aes_gcm_list.j2), and
// digests and HMACs of messages of one block, or of short ones that are padded elsewhere (streams/sha256_ni_list.j2).
#pragma once

#include "../select/engine.hpp"
#include "../select/kernel_call.hpp"

namespace cst {

// Bytes of IV and tag of jobs that such a kernel of GCM takes. There must be AAD, of SHORT_MESSAGE_AAD bytes at most.
constexpr size_t LISTED_IV = 12, LISTED_TAG = 16;

// Whether such a kernel takes jobs like this one, apart from its length, and from where its buffers lie.
inline bool takes_list(const cst_job &job) {
    return job.iv_len == LISTED_IV && job.tag_len == LISTED_TAG && job.aad_len - 1 < SHORT_MESSAGE_AAD;
}

// Lays down such a kernel, whose code is loaded. others: the call that runs jobs that the kernel does not take; of
// digests NULL, or the one of those of fewer blocks. Calls of digests run jobs of one length, and return JOB_WAITING if
// neither takes it.
KernelCall lay_down_list(const Engine &engine, const Variant &v, bool opens, const KernelCall *others);

}  // namespace cst
