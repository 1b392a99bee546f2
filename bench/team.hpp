// Several threads at once, each on its own core with its own jobs and keys: what they get done together.
#pragma once

#include "machine.hpp"
#include "timing.hpp"

#include <functional>

namespace bench {

struct TeamResult {
    std::string row, impl, variant;
    Load load;             // of each thread
    size_t bytes = 0;      // of a job, in the mean
    size_t threads = 1;
    double bytes_per_cycle = 0, gigabytes_per_second = 0; // of all threads; core cycles
    double scaling = 1;    // bytes_per_cycle over that of one thread
    double spread = 0;     // interquartile range over median
    double cycles_per_byte() const { return double(threads) / bytes_per_cycle; } // of one thread, in the mean
};

// The implementations that one thread times.
struct PeerSet {
    std::vector<std::unique_ptr<Peer>> own;
    std::vector<Peer *> all; // the shared ones too
};

// Times 1, 2, 4, ... and `most` threads. `peers` is called once in every thread. Sets `failed` when an output was
// wrong.
std::vector<TeamResult> time_team(const Row &row, const Load &load, size_t most, const std::function<PeerSet()> &peers,
                                  const Effort &effort, const Machine &machine, bool &failed);

} // namespace bench
