// Suggests names that a caller may have meant.
#pragma once

#include <string>
#include <vector>

namespace cst {

void sort_names(std::vector<std::string> *names);  // and removes duplicates

// Returns the nearest names by edit distance, at most three, separated by ", ".
std::string nearest(const std::vector<std::string> &names, const std::string &name);

}  // namespace cst
