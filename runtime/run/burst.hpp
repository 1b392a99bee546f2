// A burst of checked jobs: sorted into batches of one suite and direction, and run.
#pragma once

#include "../suite/key.hpp"
#include "cryptostitch/cryptostitch.h"
#include "work.hpp"

namespace cst {

// Every job has been checked, its status is JOB_WAITING. CST_OK, or CST_ERR_AUTH when one did not authenticate. Leaves the arena wiped.
constexpr int JOB_WAITING = 1;
int run_burst(Arena *arena, cst_job *jobs, size_t n);

// Expands a key whose lengths have been checked. CST_ERR_MEMORY.
int expand_key(const Suite &suite, const uint8_t *key, size_t key_len, const uint8_t *mac_key, size_t mac_key_len, Key *out);

}  // namespace cst
