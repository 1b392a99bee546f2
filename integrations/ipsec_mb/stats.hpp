// What ran on what. With CRYPTOSTITCH_IPSEC_MB_STATS=FILE a line of JSON is appended to FILE when the process ends:
//   {"pid": .., "jobs": [{"cipher": 1, "hash": 1, "direction": 1, "on": "cryptostitch", "jobs": 3}, ..],
//    "fill": {"1": bursts, ..}, "kernels": {"name": calls, ..}}
// cipher, hash and direction are numbers of the interface's enums; on: cryptostitch, the original library ("real"), or
// "refused"; fill: bursts by their jobs. Calls without a job (the direct functions) are not counted; their kernels are.
// Any number of threads may count. Ignored in set-uid programs.
#pragma once

#include <atomic>

#include "interface.hpp"

namespace cst::imb {

enum class RanOn : uint8_t { cryptostitch, real, refused, NUMBER };

// From now on the process writes a line when it ends, even if only of zeros.
void begin_counting();
extern std::atomic<bool> counting;
void add_job(const IMB_JOB &job, RanOn where);
void add_burst(size_t jobs);

inline void count_job(const IMB_JOB &job, RanOn where) {
    if (counting.load(std::memory_order_relaxed)) add_job(job, where);
}
// Counts a job whose arguments are wrong.
inline void refuse(IMB_JOB *job) {
    job->status = IMB_STATUS_INVALID_ARGS;
    count_job(*job, RanOn::refused);
}
inline void count_burst(size_t jobs) {
    if (counting.load(std::memory_order_relaxed)) add_burst(jobs);
}

}  // namespace cst::imb
