// How much a burst holds at once, and up to which length texts are copied: the kernel selection counts with what the
// executors have.
#pragma once

#include "../suite/padding.hpp"

namespace cst {

constexpr size_t MOST_MESSAGES = 128; // in progress at once: bounds the memory of a burst
constexpr size_t MOST_LAST = 64;      // bytes of the end of a text with padding and an inner MAC

// Size of a lane's bounce buffer, where bytes are assembled before a kernel reads them: the boundary block of head and
// body, the end with its padding, a whole short message (three blocks of any hash), or pieces of a scattered buffer
// that are not contiguous.
constexpr size_t SCRATCH_BYTES = 2048;
constexpr size_t WHOLE_MESSAGE = 3 * MOST_BLOCK;  // longest message that is assembled as a whole, with its padding
constexpr size_t SCRATCH_PITCH = SCRATCH_BYTES + 64;
static_assert(PAD_SLACK <= SCRATCH_PITCH - SCRATCH_BYTES);

constexpr uint64_t MOST_BOUNCE = 512;  // bytes up to which a copy there is better than two kernel calls
constexpr uint64_t LONG_RUN = 256;  // contiguous bytes of a scattered buffer that are worth a run of their own

}  // namespace cst
