#include "manager.hpp"
#include "run.hpp"

#include <algorithm>

namespace cst {

int Manager::prepare(const Limits &limits, size_t n_suites) {
    limits_ = limits;
    groups_.reserve(2 * n_suites);
    burst_.reserve(limits.min_fill);
    done_.reserve(2 * limits.capacity);
    return memory_.allocate(engine_, limits.min_fill);
}

Manager::Group *Manager::group_of(const cst_job &job) {
    const Suite *suite = key_of(job).suite;
    for (Group &group : groups_)
        if (group.suite == suite && group.direction == job.direction) return &group;
    groups_.push_back({suite, job.direction, {}});
    return &groups_.back();
}

void Manager::submit(cst_job *job) {
    Group *group = group_of(*job);
    group->waiting.reserve(limits_.min_fill);  // allocates once, before anything has changed
    group->waiting.push_back({job, counts_.jobs});
    job->status = JOB_WAITING;
    n_waiting_++;
    counts_.jobs++;
    if (group->waiting.size() >= limits_.min_fill) run(group, &counts_.full);
    for (Group &other : groups_)
        if (!other.waiting.empty() && counts_.jobs - other.waiting.front().since > limits_.max_age)
            run(&other, &counts_.aged);
}

void Manager::run(Group *group, uint64_t *reason) {
    burst_.clear();
    for (const Waiting &w : group->waiting) {
        burst_.push_back(*w.job);
        const cst_job &job = *w.job;
        const bool right = group->suite->lengths.hold_input(group->direction == CST_OPEN, job.iv_len, job.in_len);
        if (!right) refuse_unopened(&burst_.back());
    }
    run_jobs(&memory_, burst_.data(), burst_.size());
    memory_.clean();
    for (size_t i = 0; i < burst_.size(); i++) {
        cst_job *job = group->waiting[i].job;
        job->status = burst_[i].status;
        job->out_len = burst_[i].out_len;
        done_.push_back(job);
    }
    n_waiting_ -= burst_.size();
    group->waiting.clear();
    counts_.bursts++;
    ++*reason;
}

cst_job *Manager::take() {
    if (taken_ == done_.size()) return nullptr;
    cst_job *job = done_[taken_++];
    if (taken_ == done_.size() || taken_ == limits_.capacity) {
        done_.erase(done_.begin(), done_.begin() + ptrdiff_t(taken_));
        taken_ = 0;
    }
    return job;
}

void Manager::flush() {
    for (;;) {
        Group *next = nullptr;  // the group whose oldest job waits longest
        for (Group &group : groups_)
            if (!group.waiting.empty() && (!next || group.waiting.front().since < next->waiting.front().since))
                next = &group;
        if (!next) return;
        run(next, &counts_.flushed);
    }
}

bool Manager::cancel(cst_job *job) {
    for (Group &group : groups_) {
        const auto at =
            std::find_if(group.waiting.begin(), group.waiting.end(), [&](const Waiting &w) { return w.job == job; });
        if (at == group.waiting.end()) continue;
        group.waiting.erase(at);
        n_waiting_--;
        return true;
    }
    return false;
}

}  // namespace cst
