// Reads the code of a program as a pack stores it: as it is, or shorter, as one Zstandard frame.
#pragma once

#include <vector>

#include "pack.hpp"

namespace cst {

// Sets *code to record.code_bytes bytes, in the pack or in `buffer`. Returns CST_OK, or CST_ERR_PACK if the frame does
// not hold exactly this many.
int stored_code(const ProgramRecord &record, std::vector<uint8_t> *buffer, const uint8_t **code);

}  // namespace cst
