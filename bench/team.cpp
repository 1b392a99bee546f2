#include "team.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

namespace bench {
namespace {

// All threads leave together, without the delay of waking a sleeping thread.
class Barrier {
public:
    explicit Barrier(size_t members) : members_(members) {}
    void wait() {
        const size_t generation = generation_.load();
        if (arrived_.fetch_add(1) + 1 == members_) {
            arrived_ = 0;
            generation_ = generation + 1;
        } else {
            while (generation_.load() == generation) std::this_thread::yield();
        }
    }

private:
    const size_t members_;
    std::atomic<size_t> arrived_{0}, generation_{0};
};

class Team {
public:
    Team(const Row &row, const Load &load, size_t members, const std::function<PeerSet()> &peers, const Effort &effort,
         const Machine &machine)
        : row_(row),
          load_(load),
          members_(members),
          peers_(peers),
          effort_(effort),
          machine_(machine),
          barrier_(members),
          samples_(members) {}

    bool run() {
        std::vector<std::thread> threads;
        for (size_t i = 0; i < members_; i++) threads.emplace_back([this, i] { work(i); });
        for (std::thread &thread : threads) thread.join();
        return !failed_;
    }
    std::vector<TeamResult> results;

private:
    struct alignas(64) Sample {
        size_t tasks = 0;
        double bytes_per_cycle = 0, gigabytes_per_second = 0;
        bool interrupted = false;
    };

    void work(size_t member) {
        pin_to(machine_.cores[member]);
        PeerSet peers;
        std::unique_ptr<Peer> reference;
        std::unique_ptr<Cell> cell;
        std::vector<Candidate> candidates;
        {
            std::lock_guard<std::mutex> one_by_one(preparing_);
            peers = peers_();
            reference = make_reference();
            cell = std::make_unique<Cell>(row_, load_, *reference);
            if (cell->ok()) candidates = cell->candidates(peers.all);
            else if (member == 0) fprintf(stderr, "cst-bench: OpenSSL cannot check %s; left out\n", row_.name.c_str());
            if (cell->failed()) failed_ = true;
            samples_[member].tasks = candidates.size();
        }
        barrier_.wait();
        for (const Sample &sample : samples_)
            if (sample.tasks != candidates.size()) failed_ = true; // every member sees the same
        barrier_.wait();
        if (failed_) return;
        size_t taken = 0;
        for (Candidate &candidate : candidates) {
            if (member == 0) calls_ = calls_per_sample(*candidate.task, effort_, machine_.tsc_ghz * 1e6);
            std::vector<double> cycles, seconds;
            for (int round = 0; round < effort_.repetitions; round++) {
                for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                    take_sample(member, ++taken, *candidate.task, double(cell->batch().total));
                    if (std::none_of(samples_.begin(), samples_.end(), [](const Sample &s) { return s.interrupted; }))
                        break;
                }
                double per_cycle = 0, per_second = 0;
                for (const Sample &s : samples_) per_cycle += s.bytes_per_cycle, per_second += s.gigabytes_per_second;
                cycles.push_back(per_cycle);
                seconds.push_back(per_second);
            }
            barrier_.wait();
            if (member == 0) report(candidate, cell->batch().mean(), cycles, seconds);
        }
    }
    // A thread that finishes early continues, uncounted, so that no thread is timed while others rest.
    void take_sample(size_t member, size_t number, Task &task, double total) {
        task.run();
        barrier_.wait();
        const size_t calls = calls_, all_done = number * members_;
        const long interrupted = interruptions();
        const double before = cycles_per_tick();
        barrier_.wait();
        const uint64_t start = ticks();
        for (size_t i = 0; i < calls; i++) task.run();
        const double elapsed = double(ticks() - start);
        done_.fetch_add(1);
        while (done_.load() < all_done) task.run();
        const double ratio = (before + cycles_per_tick()) / 2, bytes = double(calls) * total;
        Sample &sample = samples_[member];
        sample.bytes_per_cycle = bytes / (elapsed * ratio);
        sample.gigabytes_per_second = bytes / elapsed * machine_.tsc_ghz;
        sample.interrupted = interruptions() != interrupted;
        barrier_.wait();
    }
    void report(const Candidate &candidate, size_t bytes, std::vector<double> &cycles, std::vector<double> &seconds) {
        std::sort(cycles.begin(), cycles.end());
        std::sort(seconds.begin(), seconds.end());
        TeamResult r;
        r.row = row_.name;
        r.impl = candidate.impl;
        r.variant = candidate.task->variant;
        r.load = load_;
        r.bytes = bytes;
        r.threads = members_;
        r.bytes_per_cycle = quantile(cycles, 0.5);
        r.gigabytes_per_second = quantile(seconds, 0.5);
        r.spread = (quantile(cycles, 0.75) - quantile(cycles, 0.25)) / r.bytes_per_cycle;
        results.push_back(r);
    }

    const Row &row_;
    const Load &load_;
    const size_t members_;
    const std::function<PeerSet()> &peers_;
    const Effort &effort_;
    const Machine &machine_;
    Barrier barrier_;
    std::vector<Sample> samples_;
    std::mutex preparing_;
    std::atomic<bool> failed_{false};
    std::atomic<size_t> calls_{1}, done_{0};
};

} // namespace

std::vector<TeamResult> time_team(const Row &row, const Load &load, size_t most, const std::function<PeerSet()> &peers,
                                  const Effort &effort, const Machine &machine, bool &failed) {
    std::vector<TeamResult> all;
    for (size_t members = 1;; members = std::min(2 * members, most)) {
        Team team(row, load, members, peers, effort, machine);
        failed |= !team.run();
        for (TeamResult &r : team.results) {
            for (const TeamResult &one : all)
                if (one.threads == 1 && one.impl == r.impl && one.variant == r.variant)
                    r.scaling = r.bytes_per_cycle / one.bytes_per_cycle;
            all.push_back(r);
        }
        if (members == most) return all;
    }
}

} // namespace bench
