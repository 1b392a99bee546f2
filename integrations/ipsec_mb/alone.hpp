// Jobs that run one by one: GCM, whose kernels take a message in a call; GMAC, GHASH, Poly1305; segments.
#pragma once

#include "plan.hpp"

namespace cst::imb {

// Of a kind for which runs_alone(plan.kind); its arguments have been checked. The text and the tag; the status is not
// set, registers are not cleared.
void run_alone(const IMB_JOB &job, const Plan &plan);

}  // namespace cst::imb
