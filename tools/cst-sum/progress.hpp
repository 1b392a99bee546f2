// The line on a terminal that tells how far the work is.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace sum {

class Progress {
public:
    // total: bytes of all files; 0: not known.
    explicit Progress(uint64_t total) : total_(total), start_(std::chrono::steady_clock::now()) {}
    // Returns "" in the first second: a run that is finished by then needs no progress.
    std::string line(uint64_t files, uint64_t bytes) const;

private:
    const uint64_t total_;
    const std::chrono::steady_clock::time_point start_;
};

}  // namespace sum
