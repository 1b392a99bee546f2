// Plans which cells are timed: rows, sizes, numbers of jobs, keys.
#pragma once

#include "options.hpp"
#include "peer.hpp"

namespace bench {

// The jobs of a burst.
struct Load {
    Size size;
    size_t jobs = 1;
    bool one_key = false;
    size_t sessions = 0;  // jobs draw their keys of so many, at random; 0: each job has its own, or all share one
    std::string keys() const { return one_key ? "one" : sessions ? std::to_string(sessions) : "own"; }
};
// Returns how many texts are used in turn, one run after the other: whole runs.
size_t texts(const Load &load);
// Returns their lengths, which are the same each time.
std::vector<size_t> lengths(const Row &row, const Load &load);

struct Planned {
    Row row;
    Load load;
    bool threads = false; // on several cores at once
};

// Returns every suite that the library offers, in every direction; without the library, the suites that its peers may
// have.
std::vector<Row> all_rows(const std::string &target, const std::vector<std::string> &packs);
// The rows that the options name, in that order. Says on stderr which names match nothing.
std::vector<Row> chosen_rows(const Options &options, const std::vector<Row> &all);
// Returns the cells of a run, without those that a row cannot do; stderr says which.
std::vector<Planned> plan(const Options &options, const std::vector<Row> &rows);

} // namespace bench
