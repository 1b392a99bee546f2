// Errors of files, and their texts.
#pragma once

#include <cstdint>
#include <string>

namespace sum {

// Most parts of an object that is uploaded in parts.
constexpr uint64_t S3_MOST_PARTS = 10000;

// Besides the values of errno, which are positive.
enum Error : int {
    SHRANK = -1,  // it was longer when it was cut into chunks
    TOO_MANY_PARTS = -2,  // than S3_MOST_PARTS
};

// "NAME: No such file or directory"
std::string what_is_wrong(const std::string &name, int error);

}  // namespace sum
