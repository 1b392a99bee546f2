// The command line of cst-bench.
#pragma once

#include "cell.hpp"

#include <string>
#include <vector>

namespace bench {

struct Options {
    std::vector<std::string> rows = {"sha1", "sha256", "md5", "aes-128-cbc", "aes-256-cbc", "aes-128-cbc/open", "aes-128-cbc+hmac-sha1-etm",
                                     "aes-128-cbc+hmac-sha256-etm", "aes-128-cbc+hmac-sha1-etm/open", "aes-128-cbc+hmac-sha256-etm/open"};
    std::vector<size_t> sizes = {64, 1024, 16384}, jobs = {1, 8, 64};
    std::vector<std::string> peers = {"openssl", "ipsec-mb", "isal"};
    std::string json, target, kernel, bounds;
    bool own_key = true, one_key = true, list = false;
    Effort effort;
};

// Returns the exit status with which the program should end, or -1 to go on.
int parse_options(int argc, char **argv, Options &options);

// Shell wildcards, as in "aes-*+hmac-sha1*".
bool matches(const std::vector<std::string> &globs, const std::string &name);

} // namespace bench
