// The C API: managers of public-key jobs.

#include <algorithm>
#include <vector>

#include "arguments.hpp"
#include "manager_limits.hpp"
#include "pk_operation.hpp"

using namespace cst;

namespace {

constexpr size_t USUAL_FILL = 8;  // lanes of the widest kernels

}  // namespace

// Jobs wait in the order of their submits; those of one operation are run together. Memory for the lists is taken at
// once.
struct cst_pk_manager {
    explicit cst_pk_manager(const Manager::Limits &limits) : limits_(limits) {
        waiting_.reserve(limits.capacity);
        done_.reserve(limits.capacity);
    }

    bool full() const { return waiting_.size() + done_.size() - taken_ >= limits_.capacity; }
    void submit(const cst_pk *pk, cst_pk_job *job) {
        waiting_.push_back({pk, job, ++submits_});
        const auto of_this = [&](const Waiting &its) { return its.pk == pk; };
        if (size_t(std::count_if(waiting_.begin(), waiting_.end(), of_this)) >= limits_.min_fill) run(pk);
        while (!waiting_.empty() && submits_ - waiting_.front().submit >= limits_.max_age) run(waiting_.front().pk);
    }
    void flush() {
        while (!waiting_.empty()) run(waiting_.front().pk);
    }
    cst_pk_job *take() { return taken_ < done_.size() ? done_[taken_++] : nullptr; }
    bool cancel(const cst_pk_job *job) {
        const auto at =
            std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting &its) { return its.job == job; });
        if (at == waiting_.end()) return false;
        waiting_.erase(at);
        return true;
    }

private:
    struct Waiting {
        const cst_pk *pk;
        cst_pk_job *job;
        uint64_t submit;
    };

    // Runs all waiting jobs of an operation. If memory is short, they come back with that as their status.
    void run(const cst_pk *pk) {
        done_.erase(done_.begin(), done_.begin() + ptrdiff_t(taken_));
        taken_ = 0;
        const auto rest =
            std::stable_partition(waiting_.begin(), waiting_.end(), [&](const Waiting &its) { return its.pk != pk; });
        std::vector<cst_pk_job> jobs;
        const int error = guarded([&]() -> int {
            for (auto at = rest; at != waiting_.end(); ++at) jobs.push_back(*at->job);
            run_pk_jobs(*pk, jobs.data(), jobs.size());
            return CST_OK;
        });
        for (auto at = rest; at != waiting_.end(); ++at) {
            at->job->status = error ? error : jobs[size_t(at - rest)].status;
            at->job->out_len = error ? 0 : jobs[size_t(at - rest)].out_len;
            done_.push_back(at->job);
        }
        waiting_.erase(rest, waiting_.end());
    }

    const Manager::Limits limits_;
    uint64_t submits_ = 0;
    std::vector<Waiting> waiting_;
    std::vector<cst_pk_job *> done_;
    size_t taken_ = 0;  // of what is done
};

int cst_pk_manager_new(cst_ctx *ctx, const cst_manager_options *options, cst_pk_manager **manager) {
    Manager::Limits limits;
    if (!ctx || !is_object(manager) || !take_limits(options, USUAL_FILL, &limits)) return CST_ERR_ARGUMENT;
    return guarded([&]() -> int {
        *manager = new cst_pk_manager(limits);
        return CST_OK;
    });
}

void cst_pk_manager_free(cst_pk_manager *manager) { delete manager; }

int cst_pk_manager_submit(cst_pk_manager *manager, const cst_pk *pk, cst_pk_job *job) {
    if (!manager || !pk || !is_object(job)) return CST_ERR_ARGUMENT;
    if (manager->full()) return CST_ERR_FULL;
    if (int error = check_pk_jobs(*pk, job, 1)) return error;
    manager->submit(pk, job);
    return CST_OK;
}

cst_pk_job *cst_pk_manager_take(cst_pk_manager *manager) { return manager ? manager->take() : nullptr; }

int cst_pk_manager_flush(cst_pk_manager *manager) {
    if (!manager) return CST_ERR_ARGUMENT;
    manager->flush();
    return CST_OK;
}

int cst_pk_manager_cancel(cst_pk_manager *manager, cst_pk_job *job) {
    return manager && job && manager->cancel(job) ? CST_OK : CST_ERR_ARGUMENT;
}
