// Processes whole blocks in CBC mode, as part of a longer text.
#pragma once

#include <cstring>

#include "cipher.hpp"

namespace cst::ossl {

// `iv` becomes that of the blocks that follow: the last one of ciphertext. n > 0. CST_OK or an error of the library.
inline int chain_blocks(const cst_key *key, bool seals, uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n) {
    uint8_t last[BLOCK];
    if (!seals) memcpy(last, in + n - BLOCK, BLOCK);
    const int error = seals ? cst_seal(key, iv, BLOCK, nullptr, 0, in, n, out, n, nullptr, nullptr, 0)
                            : cst_open(key, iv, BLOCK, nullptr, 0, in, n, out, n, nullptr, nullptr, 0);
    if (!error) memcpy(iv, seals ? out + n - BLOCK : last, BLOCK);
    return error;
}

}  // namespace cst::ossl
