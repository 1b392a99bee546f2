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

// How many runs of a task make a sample, a multiple of `turn`. It has run before.
size_t calls_per_sample(Task &task, const Effort &effort, double ticks_per_ms, size_t turn = 1);
// How often this thread has been put off its core. A sample during which that happened is taken again: it would time
// somebody else.
long interruptions();
constexpr int ATTEMPTS = 5;
double quantile(const std::vector<double> &sorted, double q);

} // namespace bench
