// The machine: its name, one core of it to run on, and its two clocks.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

struct Machine {
    std::string brand, microarchitecture; // "zen5"; "family-model" in hex where we know no name
    unsigned family = 0, model = 0, stepping = 0;
    int core = 0;         // the one that this process was pinned to
    double tsc_ghz = 0;
};
Machine pin_and_describe();

// Time stamp, not reordered with the code around it.
inline uint64_t ticks() {
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
    return uint64_t(high) << 32 | low;
}
// Core cycles per tick now: a chain of dependent additions takes one core cycle each, whatever the clock does.
double cycles_per_tick();

} // namespace bench
