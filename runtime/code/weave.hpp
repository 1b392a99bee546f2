// Interleaves the bodies of streams. Twin of generator/cryptostitch/passes/weave.py.
#pragma once

#include <cstdint>
#include <vector>

#include "program.hpp"

namespace cst {

enum : uint32_t { WEAVE_PROPORTIONAL = 0, WEAVE_SEQUENTIAL = 1 };

struct WeaveInput {
    const std::vector<Ins> *body;
    uint32_t stream, ratio;
    int32_t lead;
};

struct Woven {
    uint32_t stream;
    const Ins *ins;
};

std::vector<Woven> weave(const std::vector<WeaveInput> &inputs, uint32_t strategy);

}  // namespace cst
