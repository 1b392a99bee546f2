#include "progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace bench {

Progress::Progress(size_t all) : all_(all), terminal_(isatty(2)) {}

Progress::~Progress() {
    if (shown_) fprintf(stderr, "\r\033[K");
}

void Progress::begin(size_t done, const std::string &what) {
    if (!terminal_) return;
    shown_ = true;
    fprintf(stderr, "\r\033[K[%zu/%zu] ", done + 1, all_);
    // Assumes that each remaining cell takes as long as the mean of those before.
    const double passed = std::chrono::duration<double>(Clock::now() - start_).count();
    if (done) {
        const int left = int(passed / double(done) * double(all_ - done) + 0.5);
        fprintf(stderr, "%d:%02d left, ", left / 60, left % 60);
    }
    fputs(what.c_str(), stderr);
    fflush(stderr);
}

} // namespace bench
