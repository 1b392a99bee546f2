// The command line: that of coreutils' md5sum and its like, and what there is more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sum {

struct Options {
    std::string program;    // as messages name it
    std::string algorithm;  // empty: nobody has said
    bool check = false, tag = false, zero = false, binary = false;
    bool ignore_missing = false, quiet = false, status = false, strict = false, warn = false;
    bool recursive = false;
    uint64_t chunk = 0, part = 0;  // bytes, of --chunks and --s3-etag; 0: not asked for
    uint64_t dedupe = 0;  // the bytes of a chunk on average; 0: not asked for
    bool verity = false;
    size_t verity_block = 4096;
    std::string salt;
    bool keyed = false, derives = false;  // BLAKE3's modes
    std::string context;  // of --derive-key
    size_t length = 0;  // bytes of a digest; 0: the usual number
    unsigned threads = 0;  // 0: as many as there are processors
    std::vector<std::string> packs;  // files
    std::vector<std::string> files;  // at least one
};

// Ends the program where that is what was asked for, or with status 1 where it is not to be understood.
Options options_of(int argc, char **argv);

// Writes to the standard error where to read more.
[[noreturn]] void refer_to_help(const Options &options);

}  // namespace sum
