// Runs messages of GCM and texts as lists of jobs, which a kernel takes by one call (streams/aes_gcm_list.j2,
// aes_list.j2).
#pragma once

#include "../select/kernel_call.hpp"

namespace cst {

// Whether a kernel of lists takes a job: a masked access that reaches into a page which is not there, or was never
// touched, takes hundreds of cycles, though none of that page's bytes is accessed.
template <bool AEAD>
class ListTakes {
public:
    explicit ListTakes(const KernelCall &call) : jobs_(call.variant->jobs), last_(call.place.head + call.step - 1) {}
    [[gnu::always_inline]] bool operator()(const cst_job &job) const {
        const uintptr_t text = job.in_len - 1;
        uintptr_t leaves = in_two_pages(job.in, text, last_) | in_two_pages(job.out, text, last_);
        if (!AEAD) return leaves < PAGE;  // there is no other length than that of the text
        leaves |= in_two_pages(job.aad, job.aad_len - 1, MESSAGE_AAD - 1);
        return jobs_.take(job) & (leaves < PAGE);
    }

private:
    static constexpr uintptr_t PAGE = 4096;
    static uintptr_t in_two_pages(const void *from, uintptr_t a, uintptr_t b) {
        const uintptr_t at = reinterpret_cast<uintptr_t>(from);
        return (at + a) ^ (at + b);
    }
    const ListedJobs jobs_;
    const uintptr_t last_;
};
inline bool list_takes(const KernelCall &call, const cst_job &job) {
    return call.variant->jobs.tag ? ListTakes<true>(call)(job) : ListTakes<false>(call)(job);
}

// Sets the functions that run jobs, whose counters have room for their texts. call.parts.block: runs those that the
// kernel does not take.
void set_job_list(KernelCall *call);

}  // namespace cst
