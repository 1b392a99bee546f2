// What a kernel costs: the pack's table for this microarchitecture, or an estimate from its instruction counts.
#pragma once

#include "variant.hpp"

namespace cst {

// The cost table of the pack for the microarchitecture; without one, the table "generic". False when there is neither.
bool find_costs(const Pack &pack, const char *microarchitecture, CostRecord *out);

// A rough figure, good enough to prefer full wide kernels to narrow ones and narrow ones to empty wide ones.
Cost estimate_cost(const PackRecords &records, const KernelRecord &kernel);

}  // namespace cst
