// Expands keys, and hashes one buffer: the functions of the manager that take no context.
#pragma once

#include "library.hpp"

namespace cst::imb {

void set_key_functions(IMB_MGR *manager);

// SP 800-38A, 6.3, under round keys of AES with keys of key_bytes: at most a block.
void cfb_block(uint64_t key_bytes, void *out, const void *in, const void *iv, const void *round_keys, uint64_t bytes);

// Computes the inner and outer chaining values with which HMAC begins under a key of any length (RFC 2104); NULL: that
// one is not wanted.
void hmac_chains(Mac hmac, const uint8_t *key, size_t bytes, void *inner, void *outer);

}  // namespace cst::imb
