// A cipher, a MAC, or both one after the other, over any ranges; what the library can stitch is one job of its.
#pragma once

#include "work.hpp"

namespace cst::imb {

void add_composed(Work *work, Item *item);

}  // namespace cst::imb
