#include "block_mac.hpp"

#include <cstring>

#include "secret.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16;

// SP 800-38B, 5.3: multiplies by x in GF(2^128); the first bit is the highest power.
void twice(const uint8_t *from, uint8_t *to) {
    const uint8_t carry = from[0] >> 7;
    for (size_t i = 0; i < BLOCK; i++) to[i] = uint8_t(from[i] << 1 | (i + 1 < BLOCK ? from[i + 1] >> 7 : 0));
    to[BLOCK - 1] ^= uint8_t(0 - carry) & 0x87;
}

}  // namespace

size_t mask_end(const Key &key, uint8_t *end, size_t bytes) {
    const size_t last = bytes ? (bytes - 1) & ~(BLOCK - 1) : 0;
    const bool whole = bytes == last + BLOCK;
    if (!whole) {
        memset(end + bytes, 0, last + BLOCK - bytes);
        end[bytes] = 0x80;
    }
    uint64_t x[2], mask[2];
    memcpy(x, end + last, BLOCK);
    memcpy(mask, whole ? key.whole() : key.filled(), BLOCK);
    for (int i = 0; i < 2; i++) x[i] ^= mask[i];
    memcpy(end + last, x, BLOCK);
    return last + BLOCK;
}

void expand_block_mac(const Suite &suite, const uint8_t *key, Key *out) {
    const AlgorithmRecord &cipher = suite.hash->record;
    KeyRow *const round_keys = out->mac();
    uint8_t block[BLOCK] = {};
    aes_expand(key, cipher.key_bytes, round_keys);
    if (suite.construction == Construction::cmac) {  // SP 800-38B, 6.1
        aes_encrypt(round_keys, cipher.rounds, block, block);
        twice(block, out->whole());
        twice(out->whole(), out->filled());
    } else {  // RFC 3566, 4: K1, K2 and K3 are E(K) of blocks of ones, twos and threes
        uint8_t *const to[] = {block, out->whole(), out->filled()};
        for (uint8_t i = 0; i < 3; i++) {
            memset(to[i], i + 1, BLOCK);
            aes_encrypt(round_keys, cipher.rounds, to[i], to[i]);
        }
        aes_expand(block, cipher.key_bytes, round_keys);
    }
    wipe(block, sizeof(block));
}

}  // namespace cst
