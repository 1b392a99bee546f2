// Chooses the kernel that takes the next jobs, as many as it has lanes, so that all jobs together take the fewest
// cycles.
#pragma once

#include <algorithm>
#include <vector>

namespace cst {

class LanePlan {
public:
    struct Choice {
        size_t lanes;
        double cycles;  // of a run, however many lanes have a job
    };
    // choices: one or more, by kernel.
    explicit LanePlan(const std::vector<Choice> &choices) : least_(MOST + 1), choice_(MOST + 1) {
        for (size_t n = 1; n <= MOST; n++) {
            const auto cycles = [&](size_t i) { return choices[i].cycles + least_[n - std::min(n, choices[i].lanes)]; };
            for (size_t i = 0; i < choices.size(); i++)
                if (cycles(i) < cycles(choice_[n])) choice_[n] = i;
            least_[n] = cycles(choice_[n]);
        }
    }
    // Returns the kernel that n jobs begin with.
    size_t first(size_t n) const { return choice_[std::min(n, MOST)]; }

private:
    static constexpr size_t MOST = 128;  // jobs; the more there are, the less the last of them matter
    std::vector<double> least_;
    std::vector<size_t> choice_;
};

}  // namespace cst
