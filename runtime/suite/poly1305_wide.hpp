// Poly1305 (RFC 8439, 2.5) by vectors of eight blocks, without a kernel: the powers of r that the vectors want are made
// here, from block to block nothing is stored.
#pragma once

#include "poly1305.hpp"

namespace cst {

// Of fewer blocks poly1305_blocks is as fast, measured on Zen 4.
constexpr size_t POLY_WIDE_LEAST = 10;
// What it needs of the CPU, by the names of features.
constexpr const char *POLY_WIDE_NEEDS[] = {"avx512f", "avx512vl", "avx512ifma"};

// Adds whole blocks, at least one, as poly1305_blocks does.
void poly1305_wide(const PolyKey &key, uint64_t *accumulator, const uint8_t *in, uint64_t blocks);

}  // namespace cst
