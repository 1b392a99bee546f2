// Data that all threads write often has several copies, each in a cache line of its own: a line that several threads
// write moves from one core to another, for longer than a short message takes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

constexpr size_t THREAD_LINES = 16, THREAD_LINE_BYTES = 64;

// Returns the slot of the calling thread (a hash of the address of its TLS block; collisions are harmless).
inline size_t thread_line() {
    uint64_t block;  // address of the thread's control block (ELF Handling For Thread-Local Storage, 3.4.6)
    __asm__("mov %%fs:0, %0" : "=r"(block));
    return block * 0x9e3779b97f4a7c15 >> 60;  // Fibonacci hashing
}
static_assert(THREAD_LINES == 16, "four bits");

}  // namespace cst
