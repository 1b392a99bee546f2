// Names that somebody may have meant.
#pragma once

#include <string>
#include <vector>

namespace cst {

void sort_names(std::vector<std::string> *names);  // and drops doubles

// The (at most three) nearest by edit distance, separated by ", ".
std::string nearest(const std::vector<std::string> &names, const std::string &name);

}  // namespace cst
