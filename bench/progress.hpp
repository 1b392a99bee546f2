// Shows on a terminal how far a run is and how long it still takes.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace bench {

// Rewrites one line of stderr; silent where that is no terminal.
class Progress {
public:
    explicit Progress(size_t all);
    ~Progress();
    void begin(size_t done, const std::string &what); // `what` begins, `done` of all are done

private:
    using Clock = std::chrono::steady_clock;
    const size_t all_;
    const bool terminal_;
    const Clock::time_point start_ = Clock::now();
    bool shown_ = false;
};

} // namespace bench
