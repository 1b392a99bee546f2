// What the program writes: lines, always whole ones, and messages.
#pragma once

#include <string>

namespace sum {

class Output {
public:
    explicit Output(const std::string &program) : program_(program) {}

    void write(const std::string &text) { waiting_ += text; }
    // All that was written, at once: whoever interrupts the program finds whole lines.
    void flush();
    // Flushes, and closes the standard output: some file systems say only then that there is no room.
    void close();
    // On the standard error, behind what was written before.
    void message(const std::string &text);
    bool failed() const { return failed_; }
    // A line that comes and goes on a terminal; empty: none.
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
