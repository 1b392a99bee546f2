// Measures what kernels cost on this machine, in core cycles.
#pragma once

#include <vector>

#include "cost.hpp"
#include "engine.hpp"

namespace cst {

// Receives the steps done and to be done, and the kernel that is measured next. A result that is not 0 ends the
// measuring.
struct Progress {
    int (*tell)(size_t done, size_t total, const char *kernel, void *arg) = nullptr;
    void *arg = nullptr;
};

// Measures the kernels that suites can use and whose names match the glob (NULL: all), for about `seconds` in total (0:
// a hundredth of a second for each, at most three), but at least a few calls of each. Leaves out kernels whose code the
// system refuses, and implausible figures. Returns CST_OK; CST_ERR_NAME: the glob matches none; CST_ERR_UNSUPPORTED:
// nothing can run here; or what progress returned, if not 0. Changes no state of the engine; frees the code that it
// makes for measuring alone.
int measure_costs(const Engine &engine, const char *glob, double seconds, const Progress &progress,
                  std::vector<KernelCost> *out);

}  // namespace cst
