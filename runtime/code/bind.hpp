// Maps windows to physical registers. Twin of generator/cryptostitch/passes/bind.py.
#pragma once

#include <cstdint>
#include <vector>

#include "program.hpp"

namespace cst {

enum class Abi { sysv, win64 };

constexpr uint8_t RSP = 4;

struct AbiInfo {
    uint8_t order[15];                        // general registers by encoding number, in the order of use
    uint8_t args;                             // holds the argument
    uint16_t saved_generals;                  // bit set of those that a callee preserves
    uint8_t saved_vectors_begin, saved_vectors_end;

    bool saves_general(uint8_t g) const { return saved_generals >> g & 1; }
};
const AbiInfo &abi_info(Abi abi);

struct Binding {
    std::vector<uint8_t> vectors[MAX_STREAMS], generals[MAX_STREAMS], masks[MAX_STREAMS];  // [stream][window index]
    uint8_t order[15];                                    // the convention's, after rdx where streams share it
    // In a kernel of lists `jobs` points to the pointer to the next job, and `strides` counts a message's iterations.
    uint8_t counter = 0, jobs = 0, strides = 0;
    uint32_t n_vectors = 0, n_generals = 0, n_masks = 0;  // used: vectors 0..n-1, the first n of the order, k1..kn

    // Returns the instruction with physical registers; constants are left alone.
    Ins apply(uint32_t stream, const Ins &ins) const;
};

// Returns CST_OK, or CST_ERR_PACK if the windows do not fit.
int bind(const std::vector<Program> &programs, const AbiInfo &abi, Binding *out);

}  // namespace cst
