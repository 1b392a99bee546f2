#include "nearest.hpp"

#include <algorithm>

namespace cst {
namespace {

size_t edit_distance(const std::string &a, const std::string &b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); j++) row[j] = j;
    for (size_t i = 1; i <= a.size(); i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); j++) {
            const size_t replace = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
        }
    }
    return row[b.size()];
}

}  // namespace

void sort_names(std::vector<std::string> *names) {
    std::sort(names->begin(), names->end());
    names->erase(std::unique(names->begin(), names->end()), names->end());
}

std::string nearest(const std::vector<std::string> &names, const std::string &name) {
    const std::string asked = name.substr(0, 256);
    std::vector<std::pair<size_t, const std::string *>> ranked;
    for (const std::string &known : names) ranked.push_back({edit_distance(asked, known), &known});
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::string text;
    for (size_t i = 0; i < ranked.size() && i < 3; i++) text += (i ? ", " : "") + *ranked[i].second;
    return text;
}

}  // namespace cst
