// CRYPTOSTITCH_CPU simulates, for tests, another CPU that has fewer features than this one.
#pragma once

#include <string>
#include <vector>

#include "cpu.hpp"

namespace cst {

// Returns every name that it takes, in any order.
std::vector<std::string> lesser_cpus();

// Replaces the leaves by those of the named CPU; of several names, separated by commas, each replaces what the one
// before it left ("haswell,unknown"). Returns CST_ERR_NAME: there is no such name; CST_ERR_UNSUPPORTED: it has a
// feature that the leaves lack. On an error nothing has changed.
int lower_cpu(const char *names, CpuLeaves *leaves);

// Describes this CPU, or the one that CRYPTOSTITCH_CPU names, with the registers of this one. Errors are those of
// lower_cpu().
int detect_cpu(Cpu *cpu);

}  // namespace cst
