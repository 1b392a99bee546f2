// The ways through the API.

#include <stdexcept>

#include "worker.hpp"

namespace soak {
namespace {

std::string number(size_t i, size_t n) { return "job " + std::to_string(i) + " of " + std::to_string(n) + ": "; }

[[noreturn]] void wrong(const std::string &what) { throw std::runtime_error(what); }

}  // namespace

void Worker::run(Random &random) {
    const unsigned which = unsigned(random.below(100));
    Entry entry = which < 72 ? BURST : which < 84 ? SINGLE : MANAGER;
    if (random.chance(2)) run_refused(random);
    switch (entry) {
        case SINGLE: run_singly(); break;
        case MANAGER: run_managed(random); break;
        default: run_burst();
    }
    add(&tally_.entries[entry], 1);
    check();
}

void Worker::check() const {
    for (size_t i = 0; i < jobs_.size(); i++) {
        const std::string found = jobs_[i].problem();
        if (!found.empty()) wrong(number(i, jobs_.size()) + jobs_[i].describe() + ": " + found);
    }
    if (memory_.changed()) wrong("bytes beside a buffer have changed");
}

void Worker::run_burst() {
    array_.clear();
    bool forged = false;
    for (const Job &job : jobs_) {
        array_.push_back(job.job);
        forged |= job.status != CST_OK;
    }
    const int error = cst_burst(habits_.target->ctx, array_.data(), array_.size());
    for (size_t i = 0; i < jobs_.size(); i++) jobs_[i].job = array_[i];
    if (error != (forged ? CST_ERR_AUTH : CST_OK)) {
        check();
        wrong(std::string("cst_burst returned ") + cst_error_text(error));
    }
}

// One job is wrong: none runs.
void Worker::run_refused(Random &random) {
    array_.clear();
    for (const Job &job : jobs_) array_.push_back(job.job);
    const size_t bad = random.below(jobs_.size());
    array_[bad].direction = 2;
    const int error = cst_burst(habits_.target->ctx, array_.data(), array_.size());
    if (error != CST_ERR_ARGUMENT || array_[bad].status != CST_ERR_ARGUMENT)
        wrong(number(bad, jobs_.size()) + "a direction of 2 was not refused");
    for (size_t i = 0; i < jobs_.size(); i++) {
        const std::string found = jobs_[i].touched();
        if (!found.empty()) wrong(number(i, jobs_.size()) + jobs_[i].describe() + ": " + found);
        if (i != bad && array_[i].status != 1) wrong(number(i, jobs_.size()) + "a status that says it ran");
    }
    add(&tally_.refused, 1);
}

void Worker::run_single(Job *job) {
    cst_job &j = job->job;
    const bool seals = job->direction == CST_SEAL;
    if (job->scattered()) {
        cst_burst(habits_.target->ctx, &j, 1);
    } else if (!job->enciphers() && seals) {
        j.status = cst_digest(j.key, j.in, j.in_len, j.tag, j.tag_len);
        j.out_len = 0;
    } else if (seals) {
        j.status = cst_seal(j.key, j.iv, j.iv_len, j.aad, j.aad_len, j.in, j.in_len, j.out, j.out_cap, &j.out_len,
                            j.tag, j.tag_len);
    } else {
        j.status = cst_open(j.key, j.iv, j.iv_len, j.aad, j.aad_len, j.in, j.in_len, j.out, j.out_cap, &j.out_len,
                            j.tag, j.tag_len);
    }
}

void Worker::run_singly() {
    for (Job &job : jobs_) run_single(&job);
}

cst_manager *Worker::manager() {
    cst_manager *&manager = managers_[habits_.target];
    if (manager) return manager;
    Random random{seed_, thread_, uint64_t(habits_.target - subject_.targets().data()), 'm'};
    cst_manager_options options = {};
    options.size = sizeof(options);
    options.min_fill = random.of<size_t>({0, 2, 8, 32, 100});
    options.max_age = random.of<size_t>({0, 1, 20, 100});
    options.capacity = random.of<size_t>({0, 128, 300});
    want_ok(cst_manager_new(habits_.target->ctx, &options, &manager), "cst_manager_new");
    return manager;
}

// Each job comes back once; those of one suite and direction in the order of their submits.
void Worker::run_managed(Random &random) {
    cst_manager *const m = manager();
    std::vector<size_t> submit(jobs_.size(), 0);  // 0: it is not inside
    std::map<std::pair<const Suite *, int>, size_t> last;
    size_t submits = 0, back = 0;
    auto take = [&] {
        const cst_job *const done = cst_manager_take(m);
        if (!done) return false;
        for (size_t i = 0; i < jobs_.size(); i++) {
            if (&jobs_[i].job != done) continue;
            size_t &before = last[{jobs_[i].suite, jobs_[i].direction}];
            if (submit[i] <= before) wrong(number(i, jobs_.size()) + "it came back twice, or before an earlier one");
            before = submit[i];
            submit[i] = 0;
            back++;
            return true;
        }
        wrong("a manager gave back what it had not been given");
    };
    auto submit_job = [&](size_t i) {
        int error;
        while ((error = cst_manager_submit(m, &jobs_[i].job)) == CST_ERR_FULL)
            if (!take()) cst_manager_flush(m);
        want_ok(error, number(i, jobs_.size()) + "cst_manager_submit");
        submit[i] = ++submits;
    };
    for (size_t i = 0; i < jobs_.size(); i++) {
        submit_job(i);
        if (random.chance(30)) take();
        if (!random.chance(3)) continue;
        const size_t some = random.below(i + 1);
        if (!submit[some] || cst_manager_cancel(m, &jobs_[some].job) != CST_OK) continue;
        const std::string found = jobs_[some].touched();
        if (!found.empty()) wrong(number(some, jobs_.size()) + jobs_[some].describe() + ": " + found);
        submit_job(some);
    }
    want_ok(cst_manager_flush(m), "cst_manager_flush");
    while (take()) continue;
    if (back != jobs_.size()) wrong("a manager kept jobs");
}

}  // namespace soak
