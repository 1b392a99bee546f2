// What somebody who mistyped a name may have meant.
#pragma once

#include <string>
#include <vector>

namespace bench {

// The name with the least Levenshtein distance; empty where even that is more than half of what was typed.
std::string nearest(const std::string &typed, const std::vector<std::string> &names);

} // namespace bench
