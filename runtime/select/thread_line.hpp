// What all threads write often lies several times, each in a line of the cache of its own: a line that several write
// goes from one core to the other, for longer than a short message takes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

constexpr size_t THREAD_LINES = 16, THREAD_LINE_BYTES = 64;

// Which of them the calling thread has; it shares it with few.
inline size_t thread_line() {
    uint64_t block;  // where the thread's control block lies (ELF Handling For Thread-Local Storage, 3.4.6)
    __asm__("mov %%fs:0, %0" : "=r"(block));
    return block * 0x9e3779b97f4a7c15 >> 60;  // Fibonacci hashing
}
static_assert(THREAD_LINES == 16, "four bits");

}  // namespace cst
