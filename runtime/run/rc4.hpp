// RC4 alone, and with HMAC: rc4.cpp.
#pragma once

#include "work.hpp"

namespace cst {

void rc4_batch(const Batch &batch);
void seal_rc4_hmac(const Batch &batch);
void open_rc4_hmac(const Batch &batch);

}  // namespace cst
