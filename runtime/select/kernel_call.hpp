// Holds what a call of a kernel needs to know of the kernel; it is laid down once for a suite and direction.
#pragma once

#include "cryptostitch/cryptostitch.h"
#include "variant.hpp"

namespace cst {

// Jobs side by side, or those of a list.
class JobList {
public:
    explicit JobList(cst_job *jobs) : jobs_(jobs) {}
    explicit JobList(cst_job *const *list) : list_(list) {}
    cst_job *operator[](size_t i) const { return list_ ? list_[i] : jobs_ + i; }

private:
    cst_job *jobs_ = nullptr;
    cst_job *const *list_ = nullptr;
};

struct alignas(64) KernelCall {
    // Runs jobs that the kernel takes, of one suite and direction, with IVs, AADs and tags of one length each. Returns
    // CST_OK or CST_ERR_AUTH.
    typedef int (*Run)(const KernelCall &, JobList, size_t n);
    // Does so with a job that is in one piece, of a length for which the kernel was chosen. JOB_WAITING: the kernel
    // does not take this job; nothing was written.
    typedef int (*RunOne)(const KernelCall &, cst_job *);

    cst_kernel_fn fn;
    const Variant *variant;
    RunOne run_one;
    Run run;
    uint32_t step, step_log2, state_offset[2];
    uint32_t in, out;  // fields, as those of `place`
    bool opens, clears_upper;
    bool copies_ends;  // a text's end may be elsewhere than the text (MessageCalls::leaves_page)
    MessagePlace place;
    Span secrets[Variant::MOST_SECRETS];
    uint32_t round_keys, tweak, powers_end;  // offsets in a key
    LanePlace cipher_lane, hash_lane;  // of a kernel of one lane
    // Of a message that several kernels run (message/now.cpp): their calls, or NULL. It has no kernel of its own. Of
    // XTS, the one for tweaks and stolen blocks.
    struct Parts {
        const KernelCall *cipher, *hash, *coarse, *pair, *block;
    } parts;
};

}  // namespace cst
