// Digests and MACs of messages that come in parts.
#pragma once

#include "../select/engine.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

// Whether the state of such a part belongs to its key, and a message can have its counts: nothing else in it decides
// where the library reads and writes.
bool has_sound_state(const cst_part &part);
// Runs checked parts, of any suites. Returns CST_OK, or CST_ERR_MEMORY: nothing was written.
int run_parts(const Engine &engine, const cst_part *parts, size_t n);

}  // namespace cst
