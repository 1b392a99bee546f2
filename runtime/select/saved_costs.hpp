// An engine's measured costs and their file: what it begins with, and what it leaves.
#pragma once

#include "engine.hpp"

namespace cst {

// Takes the costs of the file (NULL: there is none) if it was made on this CPU, or is a table; with `measure`, which
// leaves tables aside, whatever is then lacking has all kernels measured and the file written. CST_ERR_FILE: a file
// that is not there (without `measure`), or cannot be read or written; CST_ERR_COSTS: one that is damaged.
int begin_costs(Engine *engine, const char *path, bool measure);

// Whole or not at all: CST_ERR_FILE.
int save_costs(const Engine &engine, const char *path);

}  // namespace cst
