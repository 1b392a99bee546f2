// Room on the stack for calls of the library: that of an ASYNC job has 32 KiB without a guard page, of which libssl and
// libcrypto have used a part, and threads may have small ones.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst::ossl {

class Stack {
public:
    // Calls the function, which does not throw: here, if much is left of the stack that the thread began with, else on
    // one that is kept for the thread. Returns false, and does not call it, if there is no memory for that.
    template <typename Function>
    static bool run(Function function) {
        if (here() - begun.low < begun.bytes) {
            function();
            return true;
        }
        return run_elsewhere([](void *its) { (*static_cast<Function *>(its))(); }, &function);
    }

private:
    // Addresses at which a call has enough of the thread's stack below it. bytes 0: there are none, or not known yet.
    struct Range {
        uintptr_t low, bytes;
        bool known;
    };
    class Kept;

    static uintptr_t here() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }
    static bool run_elsewhere(void (*function)(void *), void *argument);
    static void learn();

    static inline thread_local Range begun = {0, 0, false};
};

}  // namespace cst::ossl
