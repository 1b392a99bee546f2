// AEAD_CHACHA20_POLY1305 (RFC 8439, 2.8) of one short message: its state blocks, and what of it is put together, lie on the stack.
#pragma once

#include <algorithm>

#include "../suite/key.hpp"
#include "chacha.hpp"

namespace cst {

// Bytes of the text in its first call, behind the block of Poly1305's key: all of a short one. The rest of a long one goes where it lies as far as it fills the widest
// kernels, and what then is left is another call: that one is saved where whole blocks can go first.
constexpr size_t chacha_alone_first(size_t bytes) {
    return bytes <= CHACHA_MOST_FIRST || bytes % CHACHA_BLOCK ? std::min(bytes, CHACHA_MOST_FIRST) : bytes % (CHACHA_MOST_BLOCKS * CHACHA_BLOCK);
}

// Of longer texts the middle is stitched (chacha_direct.cpp): as measured on Zen 4, with Poly1305 by vectors, and without.
inline uint64_t chacha_alone_most(const Suite &suite) { return suite.wide ? 10240 : 1984; }
// Whether the job, checked, is such a one.
bool chacha_alone_takes(const cst_job &job);
// Runs it: CST_OK, or CST_ERR_AUTH. Without a kernel for every length it leaves it waiting.
int run_chacha_alone(cst_job *job);

// A job of ChaCha20 alone, right and in one piece, whose counter does not carry: false: there is no kernel for every length, and it waits.
bool run_chacha_text(cst_job *job);

}  // namespace cst
