// Jobs of modes that encipher and authenticate. Sealing is one job of the library's. Opening, the interface wants the
// tag that belongs to the ciphertext, right or wrong: a MAC of it is made apart, and the text is deciphered in any
// case.
#pragma once

#include "work.hpp"

namespace cst::imb {

void add_ccm(Work *work, Item *item);
void add_chacha_poly(Work *work, Item *item);

// Do what is left to do between the two bursts, and after the second.
void between_chacha_poly(Item *item);
void finish_ccm(Item *item);

}  // namespace cst::imb
