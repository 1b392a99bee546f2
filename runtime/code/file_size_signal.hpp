// A write, or ftruncate, beyond RLIMIT_FSIZE not only fails with EFBIG: the kernel sends SIGXFSZ to the thread, which
// ends the process. A library reports the error instead.
#pragma once

#ifndef _WIN32

#include <csignal>
#include <ctime>
#include <pthread.h>

namespace cst {

// Blocks SIGXFSZ in the calling thread for a scope, and takes what comes in it. One that was pending before stays.
class FileSizeSignal {
public:
    FileSizeSignal() {
        sigemptyset(&signal_);
        sigaddset(&signal_, SIGXFSZ);
        blocked_ = pthread_sigmask(SIG_BLOCK, &signal_, &before_) == 0;
        was_pending_ = pending();
    }
    ~FileSizeSignal() {
        if (!blocked_) return;
        const timespec now = {};
        if (!was_pending_ && pending()) sigtimedwait(&signal_, nullptr, &now);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    FileSizeSignal(const FileSizeSignal &) = delete;
    FileSizeSignal &operator=(const FileSizeSignal &) = delete;

private:
    static bool pending() {
        sigset_t set;
        return sigpending(&set) == 0 && sigismember(&set, SIGXFSZ) == 1;
    }

    sigset_t signal_, before_;
    bool blocked_, was_pending_;
};

}  // namespace cst

#endif
