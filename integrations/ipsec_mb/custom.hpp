// Jobs with a part of the caller's own: functions that the job names.
#pragma once

#include "interface.hpp"

namespace cst::imb {

// Returns the part of such a job that is not the caller's function: a job by itself.
IMB_JOB without_custom(const IMB_JOB &job);

// Runs both parts in the job's order and sets its status, IMB_STATUS_INTERNAL_ERROR where a function of the caller's
// returns other than 0: the part behind it does not run then. Arguments have been checked. Returns as run_jobs does.
int run_custom(IMB_JOB *job, bool checked);

}  // namespace cst::imb
