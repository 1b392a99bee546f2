#include "counter.hpp"

#include <algorithm>
#include <cstring>

#include "cryptostitch/cryptostitch.h"
#include "run/block_calls.hpp"
#include "suite/expanded_key.hpp"
#include "suite/secret.hpp"

namespace cst::imb {
namespace {

uint32_t low_word(const uint8_t *counter) {
    uint32_t word;
    memcpy(&word, counter + 12, sizeof(word));
    return __builtin_bswap32(word);
}

}  // namespace

void count_on_32(uint8_t *counter, uint64_t blocks) {
    const uint32_t word = __builtin_bswap32(low_word(counter) + uint32_t(blocks));
    memcpy(counter + 12, &word, sizeof(word));
}

void encrypt_block(uint64_t key_bytes, const void *round_keys, const uint8_t *in, uint8_t *out) {
    if (const Suite *const suite = cipher_suite(Cipher::ecb, key_bytes))
        BlockCalls(*suite).encipher(static_cast<const KeyRow *>(round_keys), in, out);
}

bool counter_blocks(uint64_t key_bytes, const void *round_keys, uint8_t *counter, const uint8_t *in, uint8_t *out,
                    uint64_t blocks) {
    const Suite *const suite = cipher_suite(Cipher::ctr, key_bytes);
    alignas(64) uint8_t memory[64 + BLOCK * (AES_MOST_ROUNDS + 1) + 64];
    const Key *key;
    ExpandedKey parts;
    parts.cipher = round_keys;
    if (!suite || suite->key_layout.bytes > sizeof(memory) || take_expanded_key(*suite, parts, memory, &key))
        return false;
    bool done = true;
    while (blocks && done) {  // where the 32 bits are used up, the library's counter would carry
        const uint64_t some = std::min(blocks, (uint64_t(1) << 32) - low_word(counter));
        done = !cst_seal(reinterpret_cast<const cst_key *>(key), counter, BLOCK, nullptr, 0, in, size_t(some * BLOCK),
                         out, size_t(some * BLOCK), nullptr, nullptr, 0);
        count_on_32(counter, some);
        in += some * BLOCK;
        out += some * BLOCK;
        blocks -= some;
    }
    wipe(memory, suite->key_layout.bytes);
    return done;
}

}  // namespace cst::imb
