// A stack for each thread: that of an ASYNC job has 32 KiB, which is too little for the library.
#pragma once

#include <cstdint>

namespace cst::ossl {

class Stack {
public:
    Stack() = default;
    ~Stack();
    Stack(const Stack &) = delete;
    Stack &operator=(const Stack &) = delete;

    // NULL: no memory.
    static Stack *of_thread();
    // Calls the function there. It does not throw, and does not come here again.
    template <typename Function>
    void run(Function function) {
        call([](void *its) { (*static_cast<Function *>(its))(); }, &function);
    }

private:
    bool allocate();
    void call(void (*function)(void *), void *argument);
    static void begin(unsigned high, unsigned low);

    uint8_t *memory_ = nullptr;
    void (*function_)(void *) = nullptr;
    void *argument_ = nullptr;
};

}  // namespace cst::ossl
