// The masks of header protection (RFC 9001, 5.4), of many packets side by side.
#pragma once

#include "quic_key.hpp"
#include "../executors/message.hpp"

namespace cst {

constexpr size_t QUIC_SAMPLE = 16, QUIC_MOST_NUMBER = 4;

// A mask is used as two numbers: its first byte, and the four behind it, big-endian.
struct Mask {
    alignas(16) uint8_t bytes[QUIC_SAMPLE];
};

// Writes the masks of n packets, at most MOST_MESSAGES. keys: the header protection of each; samples: QUIC_SAMPLE bytes
// each, elsewhere than the masks. memory, and jobs, room for n: for ChaCha20. avx: the CPU has AVX.
void make_masks(bool avx, const HeaderKey *const *keys, const uint8_t *const *samples, size_t n, Memory *memory,
                cst_job *jobs, Mask *masks);

}  // namespace cst
