// Assembles the kernels that usual lengths need when the provider is loaded: later a sandbox may forbid executable
// mappings, and end a process that asks for one.
#pragma once

#include "cryptostitch/cryptostitch.h"

namespace cst::ossl {

// Seals and opens messages of twelve lengths with a suite. Returns CST_OK or an error of the library.
int warm_up(cst_ctx *context, const cst_suite *suite);

}  // namespace cst::ossl
