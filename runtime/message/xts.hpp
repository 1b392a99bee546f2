// The end of an XTS text whose last block is incomplete (IEEE 1619, 5.3.2 and 5.4.2).
#pragma once

#include "../suite/key.hpp"
#include "../executors/alone.hpp"

namespace cst {

// Computes the tweak `blocks` blocks after `from`: the product with x^blocks (IEEE 1619, 5.2).
void advance_tweak(const uint8_t *from, uint64_t blocks, uint8_t *to);

// Ciphertext stealing: runs the last whole block of a text and the rest after it.
class StolenEnd {
public:
    StolenEnd(const Suite &suite, bool opens) : block_(suite, suite.single[opens]), opens_(opens) {}

    // Returns how many bytes of a text are for kernels of whole blocks; the others are the end.
    static uint64_t before(uint64_t bytes) {
        return bytes % AES_BLOCK ? (bytes & ~uint64_t(AES_BLOCK - 1)) - AES_BLOCK : bytes;
    }
    // tweak: of the last whole block. in, out: the whole block and the rest, `bytes` bytes together, 17 to 31; out ==
    // in is allowed.
    void run(const Key &key, const uint8_t *tweak, const uint8_t *in, size_t bytes, uint8_t *out);

private:
    OneBlock block_;
    const bool opens_;
};

// Ciphertext stealing, sealing, where the last whole block, at `block`, is enciphered as those before it. tweak: of the
// rest. rest: the end of the input, `bytes` bytes, 1 to 15, behind 16 others at least.
void exchange_end(BlockCalls *blocks, const Key &key, const uint8_t *tweak, const uint8_t *rest, size_t bytes,
                  uint8_t *block);

}  // namespace cst
