// Fills in the functions of a kernel call that is laid down. `Whole` runs messages one after the other in its Room;
// Whole::takes says whether it can run this job of a length for which the kernel was chosen.
#pragma once

#include "../executors/message.hpp"
#include "../executors/message_calls.hpp"

namespace cst {

template <typename Whole>
[[gnu::always_inline]] inline int run_all(const KernelCall &call, JobList jobs, size_t n) {
    typename Whole::Room room(call);
    Whole whole(&room, *jobs[0]);
    bool all = true;
    for (size_t i = 0; i < n; i++) all &= whole.run(jobs[i]);
    call.variant->calls.add(n);
    return all ? CST_OK : CST_ERR_AUTH;
}
template <typename Whole>
int run_many(const KernelCall &call, JobList jobs, size_t n) {
    return run_all<Whole>(call, jobs, n);
}
template <typename Whole>
int run_alone(const KernelCall &call, cst_job *job) {
    return Whole::takes(*key_of(*job).suite, *job) ? run_all<Whole>(call, JobList(job), 1) : JOB_WAITING;
}
template <typename Whole>
void set_functions(KernelCall *call) {
    call->run = run_many<Whole>;
    call->run_one = run_alone<Whole>;
}

}  // namespace cst
