// Jobs that are steps of one message: its beginning, some of its text, its end, or all with the text in segments.
#pragma once

#include "interface.hpp"

namespace cst::imb {

// Run jobs whose arguments have been checked; they are done on return. False: there was no memory, or none that may be
// executed; then the text from there on and the tag are zeros, and so are those of the message's further steps.
[[nodiscard]] bool run_gcm_segments(const IMB_JOB &job);
[[nodiscard]] bool run_chacha_segments(const IMB_JOB &job);

}  // namespace cst::imb
