// Messages in parts, of hashes whose kernels read blocks where they lie.
#pragma once

#include "../suite/hash_state.hpp"
#include "../executors/message.hpp"

namespace cst {

// Runs parts of digests and HMACs whose kernels read blocks where they lie, and whose states have begun; at most
// MOST_MESSAGES.
void run_plain_parts(Memory *memory, const cst_part *const *parts, size_t n);

}  // namespace cst
