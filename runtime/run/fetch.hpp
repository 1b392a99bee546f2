// Keys and texts that are in no cache, asked for before they are wanted: a processor fetches some twenty lines at once
// when it is told of them, and one after the other when each job waits for its own.
#pragma once

#include "cryptostitch/cryptostitch.h"

namespace cst {

// Checked jobs that are run next. Nothing where keys were used lately, and so are there.
void fetch_cold(const cst_job *jobs, size_t n);

}  // namespace cst
