// One thread's bursts.
#pragma once

#include <deque>
#include <map>

#include "habits.hpp"
#include "job.hpp"
#include "tally.hpp"

namespace soak {

class Worker {
public:
    Worker(const Subject &subject, const Options &options, unsigned thread);
    ~Worker();
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    // Draws the burst of that number, runs it and looks at everything. Throws what is wrong.
    void burst(uint64_t number);
    const Tally &tally() const { return tally_; }

private:
    struct Shape;
    // draw.cpp: fills jobs_.
    void draw(Random &random);
    void draw_job(Random &random, size_t suite, Shape *shape, Job *job);
    void choose_key(Random &random, size_t suite, Job *job, Model **model);
    // entries.cpp: runs jobs_.
    void run(Random &random);
    void run_burst();
    void run_refused(Random &random);
    void run_singly();
    void run_single(Job *job);
    void run_managed(Random &random);
    // records.cpp
    bool wants_records(Random &random) const;
    void run_records(Random &random);
    void check_records(const cst_tls_write &write, const Bytes &ivs, const Bytes &text, Model *model);

    cst_manager *manager();
    Model *model_of(size_t suite, size_t key);
    void check() const;
    void forget();

    const Subject &subject_;
    const uint64_t seed_;
    const unsigned thread_;
    Tally tally_;
    Habits habits_;
    uint64_t session_ = UINT64_MAX;
    Guarded memory_;
    std::vector<Job> jobs_;
    std::vector<cst_job> array_;  // jobs_, as cst_burst wants them
    std::map<size_t, std::unique_ptr<Model>> models_;  // of the keys that live long
    std::map<const Target *, cst_manager *> managers_;
    // Of this burst's own keys.
    std::vector<cst_key *> own_keys_;
    std::vector<std::unique_ptr<Model>> own_models_;
};

}  // namespace soak
