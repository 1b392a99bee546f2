// Assembles the parts of a CCM message (SP 800-38C, A.2 and A.3).
#pragma once

#include <cstring>

#include "../suite/key.hpp"
#include "../suite/padding.hpp"
#include "../executors/alone.hpp"
#include "../executors/copy.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

// A.2.1, A.3: writes flags, a nonce of 7 to 13 bytes, and a number in the bytes that remain.
inline void put_ccm_block(const cst_job &job, uint8_t flags, uint64_t number, uint8_t *to) {
    const uint8_t *iv = static_cast<const uint8_t *>(job.iv);
    const size_t n = job.iv_len, q = 15 - n;
    const uint64_t first = flags | (q - 1), last = __builtin_bswap64(number);
    if (n > 7) return put_words(to, first | load64(iv) << 8, load64(iv + n - 8) >> (8 * q) | last);
    uint32_t low, high;
    memcpy(&low, iv, sizeof(low));
    memcpy(&high, iv + 3, sizeof(high));
    put_words(to, first | uint64_t(low) << 8 | uint64_t(high) << 32, last);
}

// A.2.2: writes B0, which contains the lengths, and the length of the AAD that follows. Returns the number of bytes.
inline size_t put_ccm_head(const cst_job &job, uint8_t *to) {
    put_ccm_block(job, uint8_t((job.aad_len ? 0x40 : 0) | (job.tag_len - 2) / 2 << 3), job.in_len, to);
    uint8_t *at = to + 16;
    const uint64_t bytes = job.aad_len;
    if (!bytes) return 16;
    size_t size = 2;
    if (bytes >= 0xff00) {
        size = bytes >> 32 ? 8 : 4;
        *at++ = 0xff;
        *at++ = size == 8 ? 0xff : 0xfe;
    }
    const uint64_t count = __builtin_bswap64(bytes << (64 - 8 * size));
    memcpy(at, &count, size);
    return size_t(at - to) + size;
}

// 6.1: encrypts or decrypts a MAC by counter block 0; `mask` has room for that block.
inline void mask_ccm_tag(BlockCalls *blocks, const cst_job &job, uint8_t *mac, uint8_t *mask) {
    put_ccm_block(job, 0, 0, mask);
    blocks->encipher(key_of(job).encrypt(), mask, mask);
    put_words(mac, load64(mac) ^ load64(mask), load64(mac + 8) ^ load64(mask + 8));
}

// Pads with zeros to whole blocks of 16 bytes; writes PAD_SLACK bytes. Returns the padded length.
inline size_t fill_with_zeros(uint8_t *to, size_t used) {
    memset(to + used, 0, PAD_SLACK);
    return (used + 15) & ~size_t(15);
}

}  // namespace cst
