// A cipher and a checksum of the same messages.
#pragma once

#include "../suite/key.hpp"
#include "../executors/message.hpp"

namespace cst {

inline bool is_checked(const Suite &suite) { return suite.construction == Construction::checked; }

// Runs a class of such jobs. Returns false if a job did not authenticate, or its checksum does not match. readable: as
// for run_lists.
bool run_checked(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable);

// Does the same, without the memory of a burst, for jobs of the same shape whose cipher takes each in one call. Returns
// CST_OK, CST_ERR_AUTH, or JOB_WAITING: it does not take them, and nothing was written.
int run_checked_calls(cst_job *jobs, size_t n);

}  // namespace cst
