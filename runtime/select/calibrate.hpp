// Measuring what kernels cost on this machine, in core cycles.
#pragma once

#include <vector>

#include "cost.hpp"
#include "engine.hpp"

namespace cst {

// What progress is told: steps done and to be done, and the kernel that is measured next. Non-zero ends the measuring.
struct Progress {
    int (*tell)(size_t done, size_t total, const char *kernel, void *arg) = nullptr;
    void *arg = nullptr;
};

// Measures the kernels that suites can use and whose names match the glob (NULL: all), for about `seconds` altogether
// (0: a hundredth of a second for each, at most three), but at least a few calls of each. Left out: kernels that the
// system gives no code for, and implausible figures. CST_ERR_NAME: the glob matches none; CST_ERR_UNSUPPORTED: nothing
// can run here; or what progress returned, if not 0. Touches no state of the engine; code that is made for measuring
// alone is given back.
int measure_costs(const Engine &engine, const char *glob, double seconds, const Progress &progress,
                  std::vector<KernelCost> *out);

}  // namespace cst
