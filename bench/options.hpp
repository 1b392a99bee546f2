// The command line of cst-bench.
#pragma once

#include "peer.hpp"
#include "tier.hpp"

namespace bench {

// How the lengths of a cell's jobs are drawn; random lengths are compared with `equal`.
struct Mix {
    const char *name;
    enum Kind { packets, uniform, logarithmic, equal } kind;
    size_t least, most;  // bytes of a job
    size_t texts;        // that take turns, a burst after the other; 0: those of one burst
    bool at_page_ends = false; // each text ends where a page does, and nothing may be read behind it
};
const Mix *find_mix(const std::string &name);  // NULL: none has that name
std::string mix_names();

// Bytes of each job, or a mix of lengths.
struct Size {
    size_t bytes = 0;
    const Mix *mix = nullptr;
    std::string text() const { return mix ? mix->name : std::to_string(bytes); }
    bool operator==(const Size &other) const { return bytes == other.bytes && mix == other.mix; }
};

struct Effort {
    double min_ms = 0.5; // of one timed sample
    int repetitions = 15;
};

// Cells: every row in every size with every number of jobs.
struct Group {
    std::vector<std::string> rows; // shell wildcards, as in "aes-*+hmac-sha1*"
    std::vector<Size> sizes;
    std::vector<size_t> jobs;
    bool own_key = true, one_key = true;
    bool threads = false;
    std::vector<size_t> sessions = {0};  // 0: each job of a burst has its own key
};

struct Options {
    std::vector<Group> groups;
    std::vector<std::string> peers = {"openssl", "ipsec-mb", "isal", "zlib", "built"};
    std::vector<Build> builds; // loaded beside the linked peers
    const Tier *tier = nullptr;
    std::string json, target, costs, kernel, bounds;
    std::vector<std::string> packs;
    size_t threads = 0; // most of them; 0: as many as there are cores
    bool list = false;
    Effort effort;
};

// Returns the exit status with which the program should end, or -1 to go on.
int parse_options(int argc, char **argv, Options &options);

bool matches(const std::vector<std::string> &globs, const std::string &name);

} // namespace bench
