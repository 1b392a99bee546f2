// Digests and MACs of messages that come in parts.
#pragma once

#include "../select/engine.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

// Runs checked parts, of any suites. Returns CST_OK, or CST_ERR_MEMORY: nothing was written.
int run_parts(const Engine &engine, const cst_part *parts, size_t n);

}  // namespace cst
