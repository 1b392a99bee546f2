// Loads an engine's measured costs from a file, and saves them.
#pragma once

#include "engine.hpp"

namespace cst {

// Takes the costs of the file (NULL: there is none) if it was made on this CPU, or is a table. With `measure`, tables
// are ignored, and if any cost is missing, all kernels are measured and the file is written. Returns CST_OK;
// CST_ERR_FILE: the file is missing (without `measure`), or cannot be read or written; CST_ERR_COSTS: it is damaged.
int begin_costs(Engine *engine, const char *path, bool measure);

// Writes the whole file or nothing: CST_ERR_FILE.
int save_costs(const Engine &engine, const char *path);

}  // namespace cst
