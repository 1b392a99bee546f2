// Manages executable pages. A page is either written or executed, never both, and no writable alias of it exists once
// it is executable.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

struct CodePages {
    void *base = nullptr;
    size_t size = 0;
};

// Copies the code to fresh pages and makes them executable. Returns CST_OK, CST_ERR_JIT (the OS refuses),
// CST_ERR_MEMORY.
int publish_code(const uint8_t *code, size_t size, CodePages *out);
void release_code(CodePages *pages);

// Whether the OS lets this process make code: publishes a tiny function and calls it, which takes a few microseconds.
bool code_pages_work();

}  // namespace cst
