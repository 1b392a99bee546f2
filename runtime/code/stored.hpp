// The code of a program as a pack stores it: as it is, or shorter, as one Zstandard frame.
#pragma once

#include <vector>

#include "pack.hpp"

namespace cst {

// *code points at record.code_bytes bytes, in the pack or in `buffer`. CST_OK, or CST_ERR_PACK when the frame does not
// hold just so many.
int stored_code(const ProgramRecord &record, std::vector<uint8_t> *buffer, const uint8_t **code);

}  // namespace cst
