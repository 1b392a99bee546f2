#include "stack.hpp"

#include <pthread.h>
#include <sys/mman.h>

namespace cst::ossl {
namespace {

constexpr size_t GUARD = 65536, BYTES = 1 << 20;
constexpr size_t ROOM = 256 << 10;  // more than twice what any call of the library takes

// Calls function(argument) with the stack's end at `top`. rbp keeps the caller's, by which debuggers unwind.
__attribute__((naked)) void call_at(void (*)(void *), void *, void *) {
    asm("pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "movq %rdx, %rsp\n"
        "movq %rdi, %rax\n"
        "movq %rsi, %rdi\n"
        "callq *%rax\n"
        "leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n");
}

}  // namespace

class Stack::Kept {
public:
    Kept() = default;
    ~Kept() {
        if (memory_) munmap(memory_, GUARD + BYTES);
        memory_ = nullptr;
    }
    Kept(const Kept &) = delete;
    Kept &operator=(const Kept &) = delete;

    bool holds(uintptr_t address) const {
        return memory_ && address - reinterpret_cast<uintptr_t>(memory_) < GUARD + BYTES;
    }
    bool call(void (*function)(void *), void *argument) {
        // A signal handler with a stack of its own may have interrupted a call: what that has there must stay.
        if (busy_ || (!memory_ && !allocate())) return false;
        busy_ = true;
        call_at(function, argument, memory_ + GUARD + BYTES);
        busy_ = false;
        return true;
    }

private:
    bool allocate() {
        void *const made = mmap(nullptr, GUARD + BYTES, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
        if (made == MAP_FAILED) return false;
        if (mprotect(made, GUARD, PROT_NONE)) {
            munmap(made, GUARD + BYTES);
            return false;
        }
        memory_ = static_cast<uint8_t *>(made);
        return true;
    }

    uint8_t *memory_ = nullptr;
    bool busy_ = false;
};

// Where the C library does not know (glibc reads /proc/self/maps for the first thread), the range stays empty.
void Stack::learn() {
    begun.known = true;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes)) return;
    void *low;
    size_t bytes;
    if (!pthread_attr_getstack(&attributes, &low, &bytes) && bytes > ROOM) {
        begun.low = reinterpret_cast<uintptr_t>(low) + ROOM;
        begun.bytes = bytes - ROOM;
    }
    pthread_attr_destroy(&attributes);
}

bool Stack::run_elsewhere(void (*function)(void *), void *argument) {
    thread_local Kept kept;
    if (!begun.known) learn();
    if (here() - begun.low < begun.bytes || kept.holds(here())) {
        function(argument);
        return true;
    }
    return kept.call(function, argument);
}

}  // namespace cst::ossl
