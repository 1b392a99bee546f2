// Computes RC4's key schedule. Its addresses depend on the key, as all of RC4's do: for legacy suites only
// (VARTIME.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

// The state as streams read it: i and j, 32 bits each, and 8 unused bytes; then the table of 256 numbers of 32 bits.
constexpr size_t RC4_CHAIN = 16, RC4_TABLE = 1024, RC4_STATE = RC4_CHAIN + RC4_TABLE;

// `state` has RC4_STATE bytes. `bytes` is 1 to 256.
void rc4_expand_vartime(const uint8_t *key, size_t bytes, uint8_t *state);

}  // namespace cst
