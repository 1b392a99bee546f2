// Checksums: a text, or a piece of it, is one call of a kernel that takes it whole.
#pragma once

#include "../suite/key.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

// The register (suite/crc.hpp) behind so many bytes more.
uint64_t go_on_with(const Key &key, uint64_t at, const void *in, uint64_t bytes);
// The digest of a register.
void put_checksum(const Key &key, uint64_t at, void *tag);

// Jobs that are checked, of one suite and direction, and as long as one another. CST_OK or CST_ERR_AUTH.
int run_checksums(cst_job *jobs, size_t n);

}  // namespace cst
