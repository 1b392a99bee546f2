// A cipher, a MAC, or both one after the other, over any ranges; what the library can stitch is one job of its.
#pragma once

#include "work.hpp"

namespace cst::imb {

void add_composed(Work *work, Item *item);

// Of a MAC over a number of bits: the block with the last of them as it is now, if there are bits beside whole bytes.
void set_last_block(Item *item);

}  // namespace cst::imb
