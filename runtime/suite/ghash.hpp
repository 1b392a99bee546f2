// Computes the powers of GHASH's key (SP 800-38D, 6.4).
#pragma once

#include <cstddef>
#include <cstdint>

namespace cst {

// Sets rows[i] = H^(count - i), in the form that streams/ghash.j2 reads: bytes reversed, divided by x. Needs the CPU
// feature "pclmul".
void ghash_powers(const uint8_t *h, uint32_t count, uint8_t (*rows)[16]);

}  // namespace cst
