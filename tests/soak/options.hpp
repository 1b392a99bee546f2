// The command line.
#pragma once

#include <cstdint>
#include <string>

namespace soak {

struct Options {
    uint64_t seed = 0;
    double seconds = 10;
    unsigned threads = 1;
    std::string suites = "*", target;                // a glob; one target, or empty: all
    uint64_t first_burst = 0, end_burst = UINT64_MAX;  // of each thread: others are not drawn
    bool no_jit = false;
    std::string again;  // what a burst depends on, as options
};

// -1: go on; else an exit status.
int parse_options(int argc, char **argv, Options *options);

}  // namespace soak
