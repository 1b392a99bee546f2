// Files that threads have open for reading. The system limits descriptors (EMFILE, ENFILE): a thread that gets none
// waits until another file is closed.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

namespace sum {

// condition->wait(*lock). Since GCC 12 that is a symbol of libstdc++ (GLIBCXX_3.4.30), which alone would make the wheel
// one for systems of 2022 and later; packaging/manylinux.py.
inline void wait_for_change(std::condition_variable *condition, std::unique_lock<std::mutex> *lock) {
    pthread_cond_wait(condition->native_handle(), lock->mutex()->native_handle());
}

// Thread-safe.
class Descriptors {
public:
    // The descriptor of a file, for close(); or -1 and errno. flags: beside O_RDONLY | O_CLOEXEC | O_NOCTTY.
    int open(const std::string &path, int flags = 0);
    // Opens a file as open() does, but waits until other threads close files while descriptors are lacking. Returns
    // standard input for "-".
    int open_waiting(const std::string &name);
    void close(int file);
    // Notes that a file was closed by other means (closedir).
    void count_closed();

    // open() has failed for want of a descriptor.
    static bool lacking(int error);
    // Returns how many files were closed so far.
    uint64_t closed();
    // Returns when more than `before` were closed: true, open() may succeed now; or when none is open: false.
    bool wait(uint64_t before);

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t open_ = 0, closed_ = 0;
};

}  // namespace sum
