// Builds a whole kernel: entry, loop, exit, constants. Twin of generator/cryptostitch/passes/frame.py.
#pragma once

#include <cstdint>
#include <vector>

#include "bind.hpp"
#include "pack.hpp"

namespace cst {

// Describes the stack of a running kernel to debuggers: after endbr64 the kernel pushes these general registers, and
// pops them from the offset `exit` on. (Under Abi::win64 vectors are below them, which is not described.)
struct KernelFrame {
    std::vector<uint8_t> pushed;
    size_t exit = 0;
};

// Builds the bytes of one kernel of a pack. Returns CST_OK, CST_ERR_PACK, CST_ERR_MEMORY. `frame` may be NULL.
int build_kernel(const Pack &pack, uint32_t kernel_index, Abi abi, std::vector<uint8_t> *code,
                 KernelFrame *frame = nullptr);

}  // namespace cst
