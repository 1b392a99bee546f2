// Jobs that are steps of one message: its beginning, some of its text, its end, or all with the text in segments.
#pragma once

#include "interface.hpp"

namespace cst::imb {

// Run jobs whose arguments have been checked; they are done on return.
void run_gcm_segments(const IMB_JOB &job);
void run_chacha_segments(const IMB_JOB &job);

}  // namespace cst::imb
