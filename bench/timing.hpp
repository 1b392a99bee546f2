// Cycles per byte of every implementation of a cell, taken in turn on one core.
#pragma once

#include "cell.hpp"

namespace bench {

struct Result {
    std::string row, impl, variant;
    Load load;
    size_t bytes = 0; // of a job, in the mean
    double cycles_per_byte = 0, spread = 0; // core cycles; interquartile range over median
};

// `clock` collects the core cycles per tick that were seen.
std::vector<Result> time_in_turn(Cell &cell, const std::vector<Peer *> &peers, const Effort &effort,
                                 double ticks_per_ms, std::vector<double> &clock);

// Returns how many runs of a task make a sample, a multiple of `turn`. The task has run before.
size_t calls_per_sample(Task &task, const Effort &effort, double ticks_per_ms, size_t turn = 1);
// Returns how often this thread has lost its core. A sample in which that happened is repeated, because it would time
// other processes too.
long interruptions();
constexpr int ATTEMPTS = 5;
double quantile(const std::vector<double> &sorted, double q);

} // namespace bench
