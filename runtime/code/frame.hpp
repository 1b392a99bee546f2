// A whole kernel: entry, loop, exit, constants. Twin of generator/cryptostitch/passes/frame.py.
#pragma once

#include <cstdint>
#include <vector>

#include "bind.hpp"
#include "pack.hpp"

namespace cst {

// What is on the stack while a kernel runs, for debuggers: after endbr64 it pushes these general registers, and pops
// them from the offset `exit` on. (Under Abi::win64 vectors lie below them, which is not told.)
struct KernelFrame {
    std::vector<uint8_t> pushed;
    size_t exit = 0;
};

// The bytes of one kernel of a pack. CST_OK, CST_ERR_PACK, CST_ERR_MEMORY. `frame` may be NULL.
int build_kernel(const Pack &pack, uint32_t kernel_index, Abi abi, std::vector<uint8_t> *code,
                 KernelFrame *frame = nullptr);

}  // namespace cst
