// Computes checksums: a text, or a part of it, is one call of a kernel that takes it whole.
#pragma once

#include "../suite/key.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

// Runs texts of one suite and length, one after the other, on the kernel that is selected for `n` of them.
class ChecksumCalls {
public:
    ChecksumCalls(const Suite &suite, size_t n, uint64_t bytes);
    ChecksumCalls(const Engine &engine, const Variant &v, size_t n);
    // Returns the register (suite/crc.hpp) after `bytes` more bytes.
    uint64_t run(const Key &key, uint64_t at, const void *in, uint64_t bytes) const;

private:
    const Variant &v_;
};

// Does the same once.
uint64_t go_on_with(const Key &key, uint64_t at, const void *in, uint64_t bytes);
// Writes the digest of a register.
void put_checksum(const Key &key, uint64_t at, void *tag);

// Runs checked jobs of one suite, direction and length. Returns CST_OK or CST_ERR_AUTH.
int run_checksums(cst_job *jobs, size_t n);
// Lays down the kernel's call for a message like this one, alone, of a suite that is not forced.
void lay_down_checksum(const cst_job &job);

}  // namespace cst
