// Jobs that run one by one: GCM, whose kernels take a message in a call; GMAC, GHASH, Poly1305; segments.
#pragma once

#include "gcm.hpp"
#include "plan.hpp"

namespace cst::imb {

// Adds a job of GCM, whose arguments have been checked, to those that run together. Returns false if it is of another
// kind, or must run alone.
[[nodiscard]] bool add_listed(GcmList *list, const IMB_JOB &job, const Plan &plan);

// Runs a job for which runs_alone(plan.kind) holds, and whose arguments have been checked. Writes the text and the tag;
// the caller sets the status and clears the registers. False: there was no memory, or none that may be executed; then
// text and tag are zeros.
[[nodiscard]] bool run_alone(const IMB_JOB &job, const Plan &plan);

}  // namespace cst::imb
