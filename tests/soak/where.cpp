#include "where.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
extern "C" void __sanitizer_set_death_callback(void (*callback)());
// UndefinedBehaviorSanitizer has a library of its own, which does not know that callback.
extern "C" const char *__ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }
// libcrypto is not instrumented: how its threads take turns is not seen.
extern "C" const char *__tsan_default_suppressions() { return "called_from_lib:libcrypto.so\n"; }
#else
#define SANITIZED 0
#endif

namespace soak {

thread_local Where here;

void say_where(const char *what) {
    char text[600];
    const int n = snprintf(text, sizeof(text),
                           "\ncst-soak: %s in burst %llu of thread %u, target %s, %s\n"
                           "again: cst-soak %s --bursts 0:%llu\n",
                           what, (unsigned long long)(here.burst), here.thread, here.target, here.suite, here.options,
                           (unsigned long long)(here.burst + 1));
    if (write(STDERR_FILENO, text, std::min(size_t(n), sizeof(text) - 1)) < 0) _exit(2);
}

namespace {

void on_signal(int number) {
    char text[40];
    snprintf(text, sizeof(text), "signal %d", number);
    say_where(text);
    signal(number, SIG_DFL);
    raise(number);
}

}  // namespace

// Of other signals sanitizers know more to say.
void say_where_on_death() {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGABRT, &action, nullptr);
#if SANITIZED
    __sanitizer_set_death_callback([] { say_where("the sanitizer stopped"); });
#else
    for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) sigaction(number, &action, nullptr);
#endif
}

void use_signal_stack() {
    static thread_local char memory[1 << 16];
    stack_t stack = {};
    stack.ss_sp = memory;
    stack.ss_size = sizeof(memory);
    if (!SANITIZED) sigaltstack(&stack, nullptr);
}

}  // namespace soak
