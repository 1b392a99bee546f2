// The program's output: whole lines, and messages.
#pragma once

#include <string>

namespace sum {

class Output {
public:
    explicit Output(const std::string &program) : program_(program) {}

    void write(const std::string &text) { waiting_ += text; }
    // Writes all pending lines at once, so that an interrupted program leaves whole lines.
    void flush();
    // Flushes, and closes the standard output: some file systems say only then that there is no room.
    void close();
    // Writes to the standard error, after the pending lines.
    void message(const std::string &text);
    bool failed() const { return failed_; }
    // Shows a temporary line on a terminal; "" removes it.
    void show(const std::string &line);

private:
    void fail(int error);

    const std::string program_;
    std::string waiting_, shown_;
    bool failed_ = false;
};

// Digits of a digest.
std::string hexadecimal(const std::string &bytes);

}  // namespace sum
