// A cipher, a MAC, or both one after the other, over any ranges; what the library can stitch becomes one job of the
// library.
#pragma once

#include "work.hpp"

namespace cst::imb {

void add_composed(Work *work, Item *item);

// For a MAC over a number of bits that does not fill bytes: copies the block with the last bits in its present state.
void set_last_block(Item *item);

}  // namespace cst::imb
