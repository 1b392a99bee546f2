// Public-key jobs of the ASYNC jobs of a thread, in bursts: an operation waits, while its ASYNC job is paused, for
// those of others.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "cryptostitch/cryptostitch.h"
#include "error_queue.hpp"
#include "libcrypto.hpp"

namespace cst::ossl {

// Each provider has one object; several threads may use it.
class AsyncBursts {
public:
    AsyncBursts(const Libcrypto &libcrypto, const ErrorQueue &errors) : libcrypto_(libcrypto), errors_(errors) {}

    // Whether the caller runs in an ASYNC job of an application that waits for descriptors. (One that has set a
    // callback is told when a job can go on; but then it is nobody's turn to find that no more jobs come.)
    bool can_wait() const;
    // Runs the job with others of the same operation, of other ASYNC jobs. Returns its status, which is 1 if it was not
    // run, because there were too few others. What the job refers to must be its own: if the application gives up a
    // paused ASYNC job, another one may still run it.
    int run(const cst_pk *operation, cst_pk_job *job) const;

    uint64_t jobs() const { return jobs_.load(std::memory_order_relaxed); }
    uint64_t bursts() const { return bursts_.load(std::memory_order_relaxed); }

private:
    class Queue;
    class Thread;

    const Libcrypto &libcrypto_;
    const ErrorQueue &errors_;
    mutable std::atomic<uint64_t> jobs_{0}, bursts_{0};
};

}  // namespace cst::ossl
