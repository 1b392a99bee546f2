// Which kernel a burst would take, in words.
#pragma once

#include "../suite/suite.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

int explain(const Suite &suite, int direction, size_t jobs, size_t bytes, bool one_key, cst_choice *choice);

}  // namespace cst
