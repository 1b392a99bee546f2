// Runs kernels of packs that the checks have accepted, in child processes: what they touch beside their contract's
// memory is a fault there.
#pragma once

#include <cstdint>
#include <vector>

#include "code/pack.hpp"

class AcceptedRuns {
public:
    // Takes a kernel for a later run; not those that want instructions which this CPU lacks, or too much memory.
    void add(const cst::Pack &pack, uint32_t kernel, const std::vector<uint8_t> &code);
    // Runs what was taken. False when a child died; says which kernel.
    bool run();

    size_t done = 0, left_out = 0;

private:
    static constexpr size_t AT_ONCE = 512;  // kernels of a child

    struct Stream {
        size_t state_bytes, data_bytes, handed_bytes, from_offset, hand_offset;
        std::vector<uint32_t> in, out;  // offsets of pointers
    };
    struct Kernel {
        std::vector<uint8_t> code;
        uint64_t iterations;
        std::vector<Stream> streams;
    };
    static void call(const Kernel &kernel, bool at_end);

    std::vector<Kernel> kernels_;
    bool sound_ = true;
};
