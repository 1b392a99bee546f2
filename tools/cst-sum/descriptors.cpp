#include "descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace sum {

int Descriptors::open(const std::string &path, int flags) {
    {
        // Counts the descriptor before it is open: a thread that fails meanwhile, because this one took the last, must
        // see it.
        const std::lock_guard<std::mutex> lock(mutex_);
        open_++;
    }
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
    if (file >= 0) return file;
    const int error = errno;
    const std::lock_guard<std::mutex> lock(mutex_);
    open_--;
    changed_.notify_all();
    errno = error;
    return -1;
}

int Descriptors::open_waiting(const std::string &name) {
    if (name == "-") return STDIN_FILENO;
    for (;;) {
        const uint64_t before = closed();
        const int file = open(name);
        if (file >= 0 || !lacking(errno)) return file;
        if (wait(before)) continue;
        errno = EMFILE;
        return -1;
    }
}

// An error of close() has no meaning for a file that was only read.
void Descriptors::close(int file) {
    ::close(file);
    count_closed();
}

void Descriptors::count_closed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_--;
    closed_++;
    changed_.notify_all();
}

bool Descriptors::lacking(int error) { return error == EMFILE || error == ENFILE; }

uint64_t Descriptors::closed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return closed_;
}

bool Descriptors::wait(uint64_t before) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (closed_ == before && open_) wait_for_change(&changed_, &lock);
    return closed_ != before;
}

}  // namespace sum
