#include "output.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace sum {
namespace {

// 0, or errno.
int write_all(int file, const std::string &text) {
    for (size_t at = 0; at < text.size();) {
        const ssize_t n = write(file, text.data() + at, text.size() - at);
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) at += size_t(n);
    }
    return 0;
}

constexpr char CLEAR[] = "\r\033[K";

}  // namespace

void Output::flush() {
    if (waiting_.empty()) return;
    const std::string line = shown_;
    if (!line.empty()) show("");
    const int error = failed_ ? 0 : write_all(STDOUT_FILENO, waiting_);
    waiting_.clear();
    if (error) fail(error);
    if (!line.empty()) show(line);
}

void Output::close() {
    flush();
    if (::close(STDOUT_FILENO) && !failed_) fail(errno);
}

void Output::fail(int error) {
    failed_ = true;
    message("write error: " + std::generic_category().message(error));
}

void Output::message(const std::string &text) {
    flush();
    const std::string line = shown_;
    if (!line.empty()) show("");
    write_all(STDERR_FILENO, program_ + ": " + text + "\n");
    if (!line.empty()) show(line);
}

void Output::show(const std::string &line) {
    if (line == shown_) return;
    shown_ = line;
    write_all(STDERR_FILENO, CLEAR + line);
}

std::string hexadecimal(const std::string &bytes) {
    constexpr char DIGITS[] = "0123456789abcdef";
    std::string text;
    for (const char byte : bytes) {
        text += DIGITS[static_cast<unsigned char>(byte) >> 4];
        text += DIGITS[byte & 15];
    }
    return text;
}

}  // namespace sum
