// Writes the results: a JSON file and a table for a terminal.
#pragma once

#include "team.hpp"

#include <map>

namespace bench {

// Bounds by row, in core cycles per byte: with many jobs in hand, or with one.
struct Bounds {
    std::map<std::string, double> many, one;
};
Bounds read_bounds(const std::string &path); // empty when there is no such file

struct Versions {
    std::vector<std::pair<std::string, std::string>> of; // implementation, version
};

struct Report {
    Machine machine;
    std::string tier; // to which all were held; empty: none
    double core_ghz = 0;
    Versions versions;
    std::vector<Result> cells;
    std::vector<TeamResult> teams;
};

bool write_json(const std::string &path, const Report &report);
void print_table(const Report &report, const Bounds &bounds);

} // namespace bench
