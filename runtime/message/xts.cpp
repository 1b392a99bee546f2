#include "xts.hpp"

#include "../suite/secret.hpp"

namespace cst {

void advance_tweak(const uint8_t *from, uint64_t blocks, uint8_t *to) {
    uint64_t low = load64(from), high = load64(from + 8);
    while (blocks) {
        // Terms from x^128 on come back as x^7 + x^2 + x + 1 times what they are above it: 7 bits more than `some`.
        const unsigned some = unsigned(blocks < 56 ? blocks : 56);
        const uint64_t top = high >> (64 - some);
        high = high << some | low >> (64 - some);
        low = low << some ^ top ^ top << 1 ^ top << 2 ^ top << 7;
        blocks -= some;
    }
    put_words(to, low, high);
}

void StolenEnd::run(const Key &key, const uint8_t *tweak, const uint8_t *in, size_t bytes, uint8_t *out) {
    const size_t rest = bytes - AES_BLOCK;
    alignas(16) uint8_t tweaks[2][AES_BLOCK], text[2 * AES_BLOCK];
    put_words(tweaks[opens_], load64(tweak), load64(tweak + 8));
    advance_tweak(tweak, 1, tweaks[!opens_]);
    block_.set_key(key.round_keys(opens_));
    // Sealing, the whole block is enciphered under its own tweak; opening, it was the last to be enciphered. Its first
    // bytes are the end of the output; the input's end replaces them, and the block goes through the cipher again.
    block_.run(tweaks[0], in, text);
    memcpy(text + AES_BLOCK, text, rest);
    memcpy(text, in + AES_BLOCK, rest);
    block_.run(tweaks[1], text, text);
    memcpy(out, text, bytes);
    wipe(tweaks, sizeof(tweaks));
    wipe(text, sizeof(text));
}

namespace {

__extension__ typedef unsigned __int128 Word128;

Word128 load128(const uint8_t *from) { return load64(from) | Word128(load64(from + 8)) << 64; }
void store128(uint8_t *to, Word128 word) { put_words(to, uint64_t(word), uint64_t(word >> 64)); }

}  // namespace

// In words, because a block that was stored byte by byte would have to wait in front of the cipher.
void exchange_end(BlockCalls *blocks, const Key &key, const uint8_t *tweak, const uint8_t *rest, size_t bytes,
                  uint8_t *block) {
    const unsigned taken = unsigned(8 * bytes), left = 8 * AES_BLOCK - taken;
    const Word128 last = load128(rest + bytes - AES_BLOCK) >> left, enciphered = load128(block);
    alignas(16) uint8_t text[AES_BLOCK];
    store128(text, (enciphered >> taken << taken | last) ^ load128(tweak));
    blocks->encipher(key.round_keys(false), text, text);
    const Word128 again = load128(text) ^ load128(tweak);
    store128(block + bytes, again >> taken | enciphered << left);  // the end of this block, and the rest's ciphertext
    store128(block, again);
    wipe(text, sizeof(text));
}

}  // namespace cst
