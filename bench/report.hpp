// What leaves the benchmark: a JSON file and a table for a terminal.
#pragma once

#include "cell.hpp"
#include "machine.hpp"

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

bool write_json(const std::string &path, const Machine &machine, double core_ghz, const Versions &versions, const std::vector<Result> &results);
void print_table(const Machine &machine, double core_ghz, const Versions &versions, const Bounds &bounds, const std::vector<Result> &results);

} // namespace bench
