// Texts of a cipher alone: as many side by side as a kernel has lanes, straight from the caller's jobs. Memory is the stack's.
#pragma once

#include "burst.hpp"

namespace cst {

constexpr size_t ABREAST_TEXT = 1 << 16;  // of longer ones little time is outside the kernels
constexpr size_t ABREAST_IDLE = 2048;     // longer ones go on one lane, or on lanes that they fill, where nothing is left over

// Runs the texts of jobs that are right, and alike: of one suite, direction and length, at most ABREAST_TEXT, in one piece each. If that is all of a job, it is done.
// False, and nothing is written: they are not whole blocks, a kernel is forced, or a counter carries beyond the 32 bits that kernels count in.
bool run_texts(cst_job *jobs, size_t n);
// Whether that would be true of those jobs with texts of so many bytes, at most 64 of them at once.
bool texts_ready(const cst_job *jobs, size_t n, uint64_t bytes);

// The same of jobs of ciphers alone, those that wait among any, where alike ones follow one another. The others stay waiting. False: there are some.
bool run_abreast(cst_job *jobs, size_t n);

}  // namespace cst
