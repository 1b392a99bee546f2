// Runs messages of GCM (SP 800-38D) as lists of jobs, which a kernel takes by one call (streams/aes_gcm_list.j2).
#pragma once

#include "../select/kernel_call.hpp"

namespace cst {

// Bytes of IV of jobs that such a kernel takes, and of the tags that it makes.
constexpr size_t LISTED_IV = 12, LISTED_TAG = 16;

// Whether such a kernel takes jobs like this one, apart from its length, and from where its buffers lie.
inline bool takes_list(const cst_job &job) { return job.iv_len == LISTED_IV && job.aad_len <= SHORT_MESSAGE_AAD; }

// Returns the call of the kernel of single messages that stands beside a kernel of lists; of another, itself.
inline const KernelCall *without_list(const KernelCall *call) {
    return call && call->place.is_listed ? call->parts.block : call;
}

// Calls run(call, n) for each kernel call of a list of calls and their jobs, with its n jobs in `its`. Overwrites both
// lists.
template <typename Run>
inline void for_each_call(const KernelCall **calls, cst_job **jobs, cst_job **its, size_t n, Run run) {
    for (size_t some, others; n; n = others) {
        const KernelCall *const call = calls[0];
        some = others = 0;
        for (size_t i = 0; i < n; i++) {  // without branches, which random lengths mislead
            const KernelCall *const that = calls[i];
            its[some] = jobs[others] = jobs[i];
            calls[others] = that;
            some += that == call;
            others += that != call;
        }
        run(call, some);
    }
}

// Sets the functions that run jobs. call.parts.block: runs those that the kernel does not take.
void set_job_list(KernelCall *call);

// Jobs whose tag is a result when they are opened, too, not compared; their keys may be memory that is laid out as a
// key of the suite from its round keys on (KeyLayout::ENCRYPT).
// Whether the call is one of lists, and takes such a job.
bool makes_tag(const KernelCall &call, const cst_job &job);
// Runs n such jobs, which the kernel takes and whose tags have LISTED_TAG bytes. Changes nothing of a job but that one
// without AAD gets an address for it; no status is set.
void make_tags(const KernelCall &call, cst_job *const *jobs, size_t n);

}  // namespace cst
