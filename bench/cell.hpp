// One cell of the table: a row at one size and one number of jobs. Owns the buffers and the right answers.
#pragma once

#include "peer.hpp"

namespace bench {

struct Result {
    std::string row, impl, variant;
    bool one_key = false;
    size_t bytes = 0, jobs = 0;
    double cycles_per_byte = 0, spread = 0; // core cycles; interquartile range over median
};

struct Effort {
    double min_ms = 0.5; // of one timed sample
    int repetitions = 15;
};

class Cell {
public:
    // False from ok(): the reference does not do this row.
    Cell(const Row &row, size_t bytes, size_t jobs, bool one_key, Peer &reference);
    bool ok() const { return ok_; }
    // Runs every task that `peers` offer, checks its output, then times all of them in turn. Says on stderr what failed the check.
    // `clock` collects the core cycles per tick that were seen.
    std::vector<Result> measure(const std::vector<Peer *> &peers, const Effort &effort, double ticks_per_ms, std::vector<double> &clock);
    bool failed() const { return failed_; }

private:
    bool check(Task &task);
    Row row_;
    Batch batch_;
    std::vector<uint8_t> keys_, in_, out_, tags_, expected_out_, expected_tags_;
    size_t pitch_;
    bool ok_ = false, failed_ = false;
};

} // namespace bench
