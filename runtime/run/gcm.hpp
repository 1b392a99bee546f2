// GCM (SP 800-38D): gcm.cpp.
#pragma once

#include "work.hpp"

namespace cst {

constexpr size_t GCM_IV = 12;            // the usual length
constexpr size_t GCM_SHORT_TEXT = 480;   // bytes of a text up to which nothing is stitched

void gcm_seal(const Batch &batch);
void gcm_open(const Batch &batch);
// gcm_direct.cpp. Whether this is for the job: a text in one piece, or a short one.
bool gcm_takes(const cst_job &job);
// Runs jobs of this suite and direction for which it is, as far as they wait; none at all while a kernel is forced. CST_OK or CST_ERR_AUTH.
int gcm_direct(Arena *arena, const Suite &suite, int direction, cst_job *jobs, size_t n);
// H and its powers; the round keys are there. CST_ERR_MEMORY.
int gcm_key(const Suite &suite, Key *key);

}  // namespace cst
