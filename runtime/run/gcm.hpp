// GCM (SP 800-38D): gcm.cpp.
#pragma once

#include "work.hpp"

namespace cst {

constexpr size_t GCM_IV = 12;            // the usual length
constexpr size_t GCM_SHORT_TEXT = 480;   // bytes of a text up to which nothing is stitched

void gcm_seal(const Batch &batch);
void gcm_open(const Batch &batch);
// H and its powers; the round keys are there. CST_ERR_MEMORY.
int gcm_key(const Suite &suite, Key *key);

}  // namespace cst
