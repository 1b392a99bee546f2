// The options of managers.
#pragma once

#include "cryptostitch/cryptostitch.h"
#include "../run/manager.hpp"

namespace cst {

// Returns false for options that are not possible. usual_fill: what min_fill 0 stands for.
bool take_limits(const cst_manager_options *options, size_t usual_fill, Manager::Limits *limits);

}  // namespace cst
