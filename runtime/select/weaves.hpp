// Several weaves of one kernel: NAME is woven as usual, NAME~CPU by a recipe that was found on that CPU.
#pragma once

#include <memory>
#include <vector>

#include "variant.hpp"

namespace cst {

// NAME~CPU takes part in selections if its costs were measured as those of NAME were (by the same table, or both on
// this machine); else NAME takes its place. So a recipe changes nothing on a CPU that has no figures for it. To be
// called after every change of variants or costs.
void settle_weaves(const std::vector<std::unique_ptr<Variant>> &variants) noexcept;

}  // namespace cst
