// A whole kernel: entry, loop, exit, constants. Twin of generator/cryptostitch/passes/frame.py.
#pragma once

#include <cstdint>
#include <vector>

#include "bind.hpp"
#include "pack.hpp"

namespace cst {

// The bytes of one kernel of a pack. CST_OK, CST_ERR_PACK, CST_ERR_MEMORY.
int build_kernel(const Pack &pack, uint32_t kernel_index, Abi abi, std::vector<uint8_t> *code);

}  // namespace cst
