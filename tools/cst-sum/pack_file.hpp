// Packs of kernels as files.
#pragma once

#include <cryptostitch/cryptostitch.h>

#include <string>

namespace sum {

// Loads the pack in a file. Returns why it could not; "": it is loaded. Only regular files are read, because others may
// have no end.
std::string load_pack(cst_ctx *context, const std::string &name);

}  // namespace sum
