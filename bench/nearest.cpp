#include "nearest.hpp"

#include <algorithm>
#include <numeric>

namespace bench {

static size_t distance(const std::string &a, const std::string &b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (size_t i = 1; i <= a.size(); i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); j++) {
            const size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

std::string nearest(const std::string &typed, const std::vector<std::string> &names) {
    std::string best;
    size_t least = typed.size() / 2 + 1;
    for (const std::string &name : names) {
        const size_t d = distance(typed, name);
        if (d < least) least = d, best = name;
    }
    return best;
}

} // namespace bench
