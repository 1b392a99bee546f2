// ASYNC jobs whose stacks, which libcrypto takes from the heap, end at a page that cannot be touched: what needs more
// than there is ends the process, and not some other allocation.
#pragma once

#include <openssl/async.h>
#include <openssl/crypto.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "openssl_sides.hpp"

class GuardedStacks {
public:
    // Before libcrypto has allocated anything.
    static void use() { must(CRYPTO_set_mem_functions(allocate, resize, release) == 1, "libcrypto allocates already"); }

private:
    static constexpr size_t PAGE = 4096;

    static bool is_stack(const char *file) { return file && strstr(file, "async_posix.c"); }
    static std::map<void *, size_t> &all() {
        static auto *const its = new std::map<void *, size_t>();
        return *its;
    }
    static std::mutex &lock() {
        static auto *const its = new std::mutex();
        return *its;
    }

    static void *allocate(size_t bytes, const char *file, int) {
        if (!is_stack(file) || bytes < 4 * PAGE) return malloc(bytes);
        const size_t room = PAGE + (bytes + PAGE - 1) / PAGE * PAGE;
        void *const made = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        must(made != MAP_FAILED && !mprotect(made, PAGE, PROT_NONE), "no memory for a stack");
        uint8_t *const stack = static_cast<uint8_t *>(made) + PAGE;
        const std::lock_guard<std::mutex> guard(lock());
        all()[stack] = room;
        return stack;
    }
    static void *resize(void *memory, size_t bytes, const char *, int) { return realloc(memory, bytes); }
    static void release(void *memory, const char *file, int) {
        if (is_stack(file)) {
            const std::lock_guard<std::mutex> guard(lock());
            const auto found = all().find(memory);
            if (found != all().end()) {
                munmap(static_cast<uint8_t *>(memory) - PAGE, found->second);
                all().erase(found);
                return;
            }
        }
        free(memory);
    }
};

// main's work: with OPENSSL_TEST_JOB=N in the environment inside of an ASYNC job, of whose stack N bytes are used
// already, as libssl and an application use some.
class Program {
public:
    typedef int Work(int, char **);
    static int run(Work *work, int argc, char **argv) {
        GuardedStacks::use();
        const char *const used = getenv("OPENSSL_TEST_JOB");
        if (!used) return work(argc, argv);
        const Program its(work, argc, argv, size_t(atol(used)));
        const Program *argument = &its;
        ASYNC_WAIT_CTX *const wait = ASYNC_WAIT_CTX_new();
        ASYNC_JOB *job = nullptr;
        int result = 1, state;
        do state = ASYNC_start_job(&job, wait, &result, begin, &argument, sizeof(argument));
        while (state == ASYNC_PAUSE);
        must(state == ASYNC_FINISH, "an ASYNC job could not be started");
        ASYNC_WAIT_CTX_free(wait);
        return result;
    }

private:
    Program(Work *work, int argc, char **argv, size_t bytes) : work_(work), argc_(argc), argv_(argv), bytes_(bytes) {}

    static int begin(void *argument) { return (*static_cast<const Program **>(argument))->go_down(); }
    __attribute__((noinline)) int go_down() const {
        volatile uint8_t *const used = static_cast<uint8_t *>(__builtin_alloca(bytes_ + 1));
        used[0] = 0;
        const int result = work_(argc_, argv_);
        return result + used[0];  // no tail call, which would give the bytes back
    }

    Work *const work_;
    const int argc_;
    char **const argv_;
    const size_t bytes_;
};
