#include "stack.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>

namespace cst::ossl {
namespace {

constexpr size_t GUARD = 65536, BYTES = 1 << 20;

}  // namespace

Stack::~Stack() {
    if (memory_) munmap(memory_, GUARD + BYTES);
}

Stack *Stack::of_thread() {
    thread_local Stack its;
    return its.memory_ || its.allocate() ? &its : nullptr;
}

bool Stack::allocate() {
    void *const made = mmap(nullptr, GUARD + BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) return false;
    memory_ = static_cast<uint8_t *>(made);
    return !mprotect(memory_, GUARD, PROT_NONE);
}

void Stack::call(void (*function)(void *), void *argument) {
    ucontext_t back, there;
    getcontext(&there);
    there.uc_stack.ss_sp = memory_ + GUARD;
    there.uc_stack.ss_size = BYTES;
    there.uc_link = &back;
    function_ = function;
    argument_ = argument;
    const auto self = reinterpret_cast<uintptr_t>(this);  // arguments are ints
    makecontext(&there, reinterpret_cast<void (*)()>(begin), 2, unsigned(self >> 32), unsigned(self));
    swapcontext(&back, &there);
}

void Stack::begin(unsigned high, unsigned low) {
    const Stack &self = *reinterpret_cast<Stack *>(uintptr_t(high) << 32 | low);
    self.function_(self.argument_);
}

}  // namespace cst::ossl
