// libcst-painted-stack: calls any C function on a stack of its own, which is painted and lies above a guard page, and
// measures how deep the call goes: from the stack pointer at the call down to the lowest byte that has changed.
//
// painted_function() returns an address that is called as the function itself is: with at most MOST_ARGUMENTS words in
// registers and on the stack, and one double. Calls that a callback makes while its thread is on the painted stack run
// on the thread's own stack, and so do the callbacks.

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#define EXPORT __attribute__((visibility("default")))

namespace {

constexpr size_t MOST_FUNCTIONS = 256, REGISTERS = 6, STACK_WORDS = 8;
constexpr size_t THUNK_BYTES = 16;
constexpr uint64_t PAINT = 0xa5c35a3c96699669;

struct Registers {  // as the common part of the thunks lays them down
    uint64_t general[REGISTERS];
    double vector;
    uint64_t unused;
};

struct Function {
    const void *code;
    int callback;  // which of the general registers has a callback; -1: none
    std::atomic<size_t> depth;
};
Function functions[MOST_FUNCTIONS];
std::atomic<size_t> n_functions{0};
std::atomic<size_t> stack_bytes{size_t(128) << 10};

// A thread's painted stack.
class Stack {
public:
    ~Stack() { unmap(); }
    // Returns the stack's top, painted, with `bytes` bytes above a guard page.
    uint64_t *top(size_t bytes) {
        if (bytes != bytes_) {
            unmap();
            page_ = size_t(sysconf(_SC_PAGESIZE));
            mapped_ = page_ + (bytes + page_ - 1) / page_ * page_;
            void *const at = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (at == MAP_FAILED || mprotect(at, page_, PROT_NONE)) abort();
            base_ = static_cast<uint8_t *>(at);
            bytes_ = bytes;
            paint(words());
        }
        return words() + bytes_ / sizeof(uint64_t);
    }
    // Returns the bytes that were changed, from the lowest one up, and paints them again.
    size_t used() {
        constexpr size_t STRIDE = 4096 / sizeof(uint64_t);
        uint64_t *const end = words() + bytes_ / sizeof(uint64_t), *low = words();
        while (size_t(end - low) > STRIDE && *low == PAINT && !memcmp(low, low + 1, 8 * (STRIDE - 1))) low += STRIDE;
        while (low < end && *low == PAINT) low++;
        paint(low);
        return size_t(end - low) * sizeof(uint64_t);
    }

private:
    uint64_t *words() const { return reinterpret_cast<uint64_t *>(base_ + page_); }
    void paint(uint64_t *from) {
        for (uint64_t *const end = words() + bytes_ / sizeof(uint64_t); from < end; from++) *from = PAINT;
    }
    void unmap() {
        if (base_) munmap(base_, mapped_);
        base_ = nullptr;
    }

    uint8_t *base_ = nullptr;
    size_t page_ = 0, mapped_ = 0, bytes_ = 0;
};
thread_local Stack stack;

}  // namespace

extern "C" {

// What the assembly code needs to leave the painted stack for a callback.
struct PaintedCall {
    uint64_t own_stack;
    const void *callback;
};
extern __attribute__((tls_model("initial-exec"), visibility("hidden"))) thread_local PaintedCall *painted_now;
thread_local PaintedCall *painted_now = nullptr;

extern const uint8_t painted_thunks[] __attribute__((visibility("hidden")));
__attribute__((visibility("hidden"))) void painted_callback();
__attribute__((visibility("hidden"))) uint64_t painted_switch(const void *code, const Registers *registers,
                                                              const uint64_t *words, uint64_t *top, PaintedCall *call);

__attribute__((visibility("hidden"), used)) uint64_t painted_dispatch(size_t index, Registers *registers,
                                                                      const uint64_t *words) {
    Function &function = functions[index];
    PaintedCall call = {};
    if (painted_now) {  // from a callback, on the thread's own stack
        alignas(16) uint64_t below[8192];
        return painted_switch(function.code, registers, words, below + sizeof(below) / sizeof(below[0]), &call);
    }
    uint64_t *const top = stack.top(stack_bytes.load());
    if (function.callback >= 0) {
        uint64_t &callback = registers->general[function.callback];
        call.callback = reinterpret_cast<const void *>(callback);
        if (callback) callback = reinterpret_cast<uint64_t>(&painted_callback);
    }
    painted_now = &call;
    const uint64_t result = painted_switch(function.code, registers, words, top, &call);
    painted_now = nullptr;
    const size_t arguments = STACK_WORDS * sizeof(uint64_t), used = stack.used(),
                 depth = used > arguments ? used - arguments : 0;
    size_t deepest = function.depth.load();
    while (depth > deepest && !function.depth.compare_exchange_weak(deepest, depth)) {}
    return result;
}

// Returns the address at which `code` is called on a painted stack; NULL: there are too many. callback: which of its
// integer or pointer arguments, of the first six, is a callback; -1: none.
EXPORT const void *painted_function(const void *code, int callback) {
    const size_t index = n_functions++;
    if (index >= MOST_FUNCTIONS) return nullptr;
    functions[index].code = code;
    functions[index].callback = callback;
    return painted_thunks + THUNK_BYTES * index;
}
// Returns the most bytes that calls at this address have needed since the last call of this function for it.
EXPORT size_t painted_depth(const void *thunk) {
    return functions[size_t(static_cast<const uint8_t *>(thunk) - painted_thunks) / THUNK_BYTES].depth.exchange(0);
}
// Sets how many bytes, a multiple of 16, lie above the guard page (128 KiB before the first call). Arguments on the
// stack take 64 of them.
EXPORT void painted_stack_bytes(size_t bytes) { stack_bytes = bytes; }

// For tests of this file: writes the lowest of so many bytes of its own stack.
EXPORT __attribute__((noinline)) int painted_deep(size_t bytes) {
    volatile uint8_t *const low = static_cast<volatile uint8_t *>(__builtin_alloca(bytes));
    *low = 1;
    return *low;
}
}

asm(R"(
    .text
    .balign 16
    .hidden painted_thunks
    .globl painted_thunks
painted_thunks:
    .set index, 0
    .rept 256
    .balign 16
    endbr64
    mov $index, %eax
    jmp painted_common
    .set index, index + 1
    .endr

    .type painted_common, @function
painted_common:
    push %rbp
    mov %rsp, %rbp
    sub $64, %rsp
    mov %rdi, (%rsp)
    mov %rsi, 8(%rsp)
    mov %rdx, 16(%rsp)
    mov %rcx, 24(%rsp)
    mov %r8, 32(%rsp)
    mov %r9, 40(%rsp)
    movsd %xmm0, 48(%rsp)
    mov %eax, %edi
    mov %rsp, %rsi
    lea 16(%rbp), %rdx
    call painted_dispatch
    leave
    ret
    .size painted_common, . - painted_common

    .type painted_switch, @function
painted_switch:
    push %rbp
    mov %rsp, %rbp
    mov %rdi, %rax
    mov %rsi, %r10
    mov %rsp, (%r8)
    andq $-16, (%r8)
    lea -64(%rcx), %r11
    .irp word, 0, 8, 16, 24, 32, 40, 48, 56
    mov \word(%rdx), %rcx
    mov %rcx, \word(%r11)
    .endr
    mov %r11, %rsp
    mov (%r10), %rdi
    mov 8(%r10), %rsi
    mov 16(%r10), %rdx
    mov 24(%r10), %rcx
    mov 32(%r10), %r8
    mov 40(%r10), %r9
    movsd 48(%r10), %xmm0
    call *%rax
    leave
    ret
    .size painted_switch, . - painted_switch

    .type painted_callback, @function
painted_callback:
    endbr64
    push %rbp
    mov %rsp, %rbp
    mov painted_now@gottpoff(%rip), %r11
    mov %fs:(%r11), %r11
    mov (%r11), %rsp
    call *8(%r11)
    leave
    ret
    .size painted_callback, . - painted_callback
)");
