// The machine: its name, the cores to run on, and its two clocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Machine {
    std::string brand, microarchitecture; // "zen5"; "family-model" in hex where we know no name
    unsigned family = 0, model = 0, stepping = 0;
    std::vector<int> cores;  // that the process may use, the first one is what it was pinned to; a second thread of a
                             // core comes after all cores
    size_t whole_cores = 0;  // so many of them are not another's second thread
    double tsc_ghz = 0;
};
Machine pin_and_describe();
void pin_to(int core);  // the calling thread

// Time stamp, not reordered with the code around it.
inline uint64_t ticks() {
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
    return uint64_t(high) << 32 | low;
}
// Core cycles per tick now: a chain of dependent additions takes one core cycle each, whatever the clock does.
double cycles_per_tick();

}  // namespace bench
