// Holds back jobs that come one by one until lanes fill, for a bounded time.
#pragma once

#include <vector>

#include "../executors/message.hpp"

namespace cst {

class Manager {
public:
    struct Limits {
        size_t min_fill, max_age, capacity;
    };
    struct Counts {
        uint64_t jobs = 0, bursts = 0, full = 0, aged = 0,
                 flushed = 0;  // full, aged, flushed: bursts by their cause
    };

    explicit Manager(const Engine &engine) : engine_(engine) {}
    // Allocates everything that is ever needed, so that nothing later can fail for lack of memory. Returns CST_OK or
    // CST_ERR_MEMORY; may throw std::bad_alloc.
    int prepare(const Limits &limits, size_t n_suites);

    const Engine &engine() const { return engine_; }
    const Limits &limits() const { return limits_; }
    const Counts &counts() const { return counts_; }
    size_t waiting() const { return n_waiting_; }
    size_t done() const { return done_.size() - taken_; }
    bool full() const { return waiting() + done() >= limits_.capacity; }

    // Takes in a job for which check_job returned CST_OK or CST_ERR_AUTH, and runs what is due.
    void submit(cst_job *job);
    // Returns the next finished job; NULL if there is none.
    cst_job *take();
    void flush();
    // Returns false if the job is not waiting.
    bool cancel(cst_job *job);

private:
    struct Waiting {
        cst_job *job;
        uint64_t since;  // sequence number of the submit
    };
    struct Group {  // jobs of one suite and direction
        const Suite *suite;
        int direction;
        std::vector<Waiting> waiting;  // oldest first
    };
    Group *group_of(const cst_job &job);
    void run(Group *group, uint64_t *reason);

    const Engine &engine_;
    Limits limits_ = {};
    Counts counts_;
    Memory memory_;
    std::vector<Group> groups_;
    std::vector<cst_job> burst_;
    std::vector<cst_job *> done_;  // finished jobs, those from taken_ on not taken yet
    size_t taken_ = 0, n_waiting_ = 0;
};

}  // namespace cst
