// Several weaves of one kernel: NAME, woven as usual, and NAME~CPU, as a recipe says that was found on that CPU.
#pragma once

#include <memory>
#include <vector>

#include "variant.hpp"

namespace cst {

// NAME~CPU takes part in choices where its costs were measured as those of NAME were (by the same table, or both on
// this machine); else NAME takes its place. So on a CPU that has no figures for it a recipe changes nothing. After
// every change of variants or costs.
void settle_weaves(const std::vector<std::unique_ptr<Variant>> &variants) noexcept;

}  // namespace cst
