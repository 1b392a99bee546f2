// Runs messages as lists of jobs, which a kernel takes by one call: of GCM (SP 800-38D; streams/aes_gcm_list.j2), texts
// (streams/aes_list.j2), and digests and HMACs of messages of one block, or of short ones that are padded elsewhere
// (streams/sha256_ni_list.j2).
#pragma once

#include "../select/engine.hpp"
#include "../select/kernel_call.hpp"

namespace cst {

constexpr size_t LISTED_TAG = 16;  // bytes of the tags that such kernels of GCM make

// Whether a kernel of lists takes a job of a length for which it was chosen: a masked access that reaches into a page
// which is not there, or was never touched, takes hundreds of cycles, though none of that page's bytes is accessed.
class ListTakes {
public:
    explicit ListTakes(const KernelCall &call) : jobs_(call.variant->jobs), stride_(call.step - 1) {}
    [[gnu::always_inline]] bool operator()(const cst_job &job) const {
        if (!jobs_.masks) return jobs_.take(job);
        const uintptr_t text = job.in_len - 1, aad = job.aad_len;
        const uintptr_t leaves = in_two_pages(job.in, text, text | stride_) |
                                 in_two_pages(job.out, text, text | stride_) |
                                 (in_two_pages(job.aad, aad - 1, MESSAGE_AAD - 1) & (0 - uintptr_t(aad != 0)));
        return jobs_.take(job) & (leaves < PAGE);
    }

private:
    static constexpr uintptr_t PAGE = 4096;
    static uintptr_t in_two_pages(const void *from, uintptr_t a, uintptr_t b) {
        const uintptr_t at = reinterpret_cast<uintptr_t>(from);
        return (at + a) ^ (at + b);
    }
    const ListedJobs jobs_;
    const uintptr_t stride_;
};

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

// Lays down such a kernel, whose code is loaded. others: the call that runs the jobs that the kernel does not take; for
// digests it is that of the kernel of fewer blocks, or NULL. A call of digests takes jobs of one length, and returns
// JOB_WAITING if neither kernel takes that length.
KernelCall lay_down_list(const Engine &engine, const Variant &v, bool opens, const KernelCall *others);

// Jobs whose tag is a result when they are opened, too, not compared; their keys may be memory that is laid out as a
// key of the suite from its round keys on (KeyLayout::ENCRYPT).
// Runs n such jobs, which the kernel takes (ListTakes) and whose tags have LISTED_TAG bytes. Changes nothing of a job
// but that one without AAD gets an address for it; no status is set.
void make_tags(const KernelCall &call, cst_job *const *jobs, size_t n);

}  // namespace cst
