// Lists of digests, as md5sum and its like write and read them.
#pragma once

#include <cstdint>
#include <string>

#include "algorithms.hpp"

namespace sum {

// A list of digests that is being checked.
struct List {
    std::string name;  // quoted
    bool found = false, matched = false;  // a line that is one; a file that is right
    uint64_t wrong_lines = 0, unreadable = 0, differing = 0;
    bool damaged = false;  // could not be read to its end
    const Algorithm *algorithm = nullptr;  // of lines without a tag
};

// One line: a digest and a name.
struct Line {
    const Algorithm *algorithm = nullptr;
    std::string digest;  // lower-case digits
    std::string name;
};

class LineReader {
public:
    // only: lines may be of no other hash.
    LineReader(const Algorithms &algorithms, const Algorithm *usual, bool only)
        : algorithms_(algorithms), usual_(usual), only_(only) {}

    // Returns false if it is no such line.
    bool read(const std::string &text, Line *line);

private:
    bool read_tagged(const std::string &text, size_t at, const Algorithm *algorithm, bool escapes, Line *line) const;
    const Algorithm *tag_at(const std::string &text, size_t at) const;
    // Returns the hash of a line without a tag: of several, the first that has so many digits.
    const Algorithm *untagged_at(const std::string &text, size_t at) const;

    const Algorithms &algorithms_;
    const Algorithm *const usual_;
    const bool only_;
    // BSD's `-r` writes one blank and no mark. The first line decides which form a list has, so that nobody can smuggle
    // in a name that begins with a blank.
    enum class Form { unknown, marked, reversed } form_ = Form::unknown;
};

// How a file's line is written, and how it ends.
struct Style {
    bool tag, zero, binary;
};
std::string line_of(const Algorithm &algorithm, const std::string &digest, const std::string &name, const Style &style);

}  // namespace sum
