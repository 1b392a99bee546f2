#include "rsa_padding.hpp"

#include <cstring>

#include "../suite/mask.hpp"
#include "../suite/wiped.hpp"

namespace cst {
namespace {

constexpr size_t MOST_BYTES = 512, COUNTER = 4, PKCS1_PREFIX = 19;
const uint8_t ZEROS[8] = {};

// to ^= MGF1 of the seed (RFC 8017, B.2.1)
void mask(const Digests &hash, const uint8_t *seed, size_t seed_bytes, uint8_t *to, size_t n) {
    const size_t each = hash.bytes(), count = (n + each - 1) / each;
    std::vector<uint8_t> numbers(count * COUNTER);
    WipedVector<uint8_t> digests(count * each);
    std::vector<Digests::Text> texts(count);
    for (size_t i = 0; i < count; i++) {
        numbers[i * COUNTER + COUNTER - 1] = uint8_t(i);
        texts[i] = {{{const_cast<uint8_t *>(seed), seed_bytes}, {&numbers[i * COUNTER], COUNTER}, {}}};
    }
    hash.run(texts, digests.data());
    for (size_t i = 0; i < n; i++) to[i] ^= digests[i];
}

}  // namespace

void pad_pkcs1(const uint8_t *digest, size_t digest_bytes, uint8_t *out, size_t size) {
    // DER of DigestInfo, and the digest (9.2, note 1)
    uint8_t info[PKCS1_PREFIX + SHA512_BYTES] = {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
                                                 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20};
    info[1] = uint8_t(PKCS1_PREFIX - 2 + digest_bytes);
    info[14] = uint8_t(digest_bytes / 16 - 1);
    info[PKCS1_PREFIX - 1] = uint8_t(digest_bytes);
    memcpy(info + PKCS1_PREFIX, digest, digest_bytes);
    pad_pkcs1_content(info, PKCS1_PREFIX + digest_bytes, out, size);
}

void pad_pkcs1_content(const uint8_t *content, size_t bytes, uint8_t *out, size_t size) {
    const size_t end = size - bytes;
    out[0] = 0;
    out[1] = 1;
    memset(out + 2, 0xff, end - 3);
    out[end - 1] = 0;
    if (bytes) memcpy(out + end, content, bytes);
}

size_t pss_salt_room(size_t hash_bytes, size_t size) { return size - hash_bytes - 2; }

// 9.1.1, where the encoding has one bit less than the modulus.
void pad_pss(const Digests &hash, const uint8_t *digest, const uint8_t *salt, size_t salt_bytes, uint8_t *out,
             size_t size) {
    const size_t hash_bytes = hash.bytes(), block = size - hash_bytes - 1;
    uint8_t *const its_hash = out + block;
    hash.run({{{{const_cast<uint8_t *>(ZEROS), sizeof(ZEROS)},
                {const_cast<uint8_t *>(digest), hash_bytes},
                {const_cast<uint8_t *>(salt), salt_bytes}}}},
             its_hash);
    memset(out, 0, block);
    out[block - salt_bytes - 1] = 1;
    if (salt_bytes) memcpy(out + block - salt_bytes, salt, salt_bytes);
    mask(hash, its_hash, hash_bytes, out, block);
    out[0] &= 0x7f;
    out[size - 1] = 0xbc;
}

size_t oaep_room(size_t hash_bytes, size_t size) { return size - 2 * hash_bytes - 2; }

// 7.1.2, 3. Whether the first byte is 0 is found out at the end, with everything else (J. Manger, A chosen ciphertext
// attack on RSA OAEP, 2001).
uint32_t unpad_oaep(const Digests &hash, const uint8_t *label_digest, uint8_t *encoded, size_t size, size_t *bytes) {
    const size_t hash_bytes = hash.bytes(), room = oaep_room(hash_bytes, size);
    uint8_t *const seed = encoded + 1, *const block = seed + hash_bytes;
    const size_t block_bytes = size - 1 - hash_bytes;
    mask(hash, block, block_bytes, seed, hash_bytes);
    mask(hash, seed, hash_bytes, block, block_bytes);
    uint32_t right = same_bytes(block, label_digest, hash_bytes) & mask_equal(encoded[0], 0);
    // Zeros, a byte of 1, and the message. `start` counts the zeros and the 1.
    uint8_t *const text = block + hash_bytes;
    uint32_t before = ~uint32_t(0), start = 0;
    for (size_t i = 0; i <= room; i++) {
        const uint32_t one = mask_equal(text[i], 1), zero = mask_equal(text[i], 0);
        start += before & 1;
        right &= ~before | one | zero;
        before = hidden(before & ~one);
    }
    right &= ~before & 1;
    // The message goes to the front by as many bytes as the bits of `start` say.
    for (uint32_t step = 1; step <= room; step <<= 1) {
        const uint8_t moves = uint8_t(hidden(mask_equal(start & step, step)));
        for (size_t i = 0; i <= room; i++) {
            const uint8_t other = i + step <= room ? text[i + step] : 0;
            text[i] = uint8_t((other & moves) | (text[i] & ~moves));
        }
    }
    memmove(encoded, text, room);
    *bytes = room + 1 - start;
    return hidden(right) & 1;
}

}  // namespace cst
