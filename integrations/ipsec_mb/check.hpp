// The arguments of a job, before any of its bytes is touched.
#pragma once

#include "plan.hpp"

namespace cst::imb {

// 0, or the IMB_ERR of the first that is wrong. Jobs for the original library are checked there. as_original: what the
// original refuses although it could be done, is refused too: texts of 2^16 bytes and more where it counts in 16 bits,
// tags that are neither whole nor as short as IPsec has them, an HMAC of nothing.
int check_job(const IMB_JOB &job, const Plan &plan, bool as_original);

}  // namespace cst::imb
