#include "keys.hpp"

#include <cstring>

#include "counter.hpp"
#include "cryptostitch/cryptostitch.h"
#include "errors.hpp"
#include "keys/keys.hpp"
#include "suite/block_mac.hpp"
#include "suite/registers.hpp"
#include "suite/secret.hpp"

namespace cst::imb {
namespace {

bool refused(int error) {
    set_error(nullptr, error);
    return error != 0;
}

template <unsigned key_bytes>
void expand(const void *key, void *encrypt, void *decrypt) {
    if (refused(!key ? IMB_ERR_NULL_KEY : !encrypt || !decrypt ? IMB_ERR_NULL_EXP_KEY : 0)) return;
    const ClearRegisters clear(cpu());
    KeyRow rows[AES_MOST_ROUNDS + 1], inverse[AES_MOST_ROUNDS + 1];
    constexpr uint32_t rounds = 6 + key_bytes / 4;
    constexpr size_t bytes = (rounds + 1) * sizeof(KeyRow);
    aes_expand(octets(key), key_bytes, rows);
    aes_invert(rows, rounds, inverse);
    memcpy(encrypt, rows, bytes);
    memcpy(decrypt, inverse, bytes);
    wipe(inverse, sizeof(inverse));
    wipe(rows, sizeof(rows));
}

// SP 800-38B, 6.1, and RFC 3566, 4: the library makes the masks with the key; of CMAC they are wanted without.
template <unsigned key_bytes>
void cmac_masks(const void *round_keys, void *whole, void *filled) {
    if (refused(!round_keys ? IMB_ERR_NULL_EXP_KEY : !whole || !filled ? IMB_ERR_NULL_KEY : 0)) return;
    const ClearRegisters clear(cpu());
    uint8_t block[BLOCK] = {};
    encrypt_block(key_bytes, round_keys, block, block);
    for (void *const mask : {whole, filled}) {
        const uint8_t carry = uint8_t(block[0] >> 7);
        for (size_t i = 0; i + 1 < BLOCK; i++) block[i] = uint8_t(block[i] << 1 | block[i + 1] >> 7);
        block[BLOCK - 1] = uint8_t(block[BLOCK - 1] << 1 ^ (uint8_t(0 - carry) & 0x87));
        memcpy(mask, block, BLOCK);
    }
    wipe(block, sizeof(block));
}

// Makes a key of that suite and hands it to `use`. Where it cannot, the thread's error number says so.
template <typename Use>
void with_key(Mac mac, const uint8_t *mac_key, size_t bytes, Use use) {
    const Suite *const suite = mac_suite(mac);
    alignas(64) uint8_t memory[1024];
    if (!suite || suite->key_layout.bytes > sizeof(memory) || make_key(*suite, nullptr, 0, mac_key, bytes, memory))
        return set_error(nullptr, IMB_ERR_MISSING_CPUFLAGS_INIT_MGR);
    use(*reinterpret_cast<const Key *>(memory));
    wipe(memory, suite->key_layout.bytes);
}

void xcbc_expand(const void *key, void *k1, void *k2, void *k3) {
    if (refused(!key ? IMB_ERR_NULL_KEY : !k1 || !k2 || !k3 ? IMB_ERR_NULL_EXP_KEY : 0)) return;
    const ClearRegisters clear(cpu());
    with_key(Mac::xcbc, octets(key), 16, [&](const Key &made) {
        memcpy(k1, made.mac(), (AES_LEAST_ROUNDS + 1) * sizeof(KeyRow));
        memcpy(k2, made.whole(), BLOCK);
        memcpy(k3, made.filled(), BLOCK);
    });
}

// The chaining value behind one block is what HMAC begins with under the key that makes this block (RFC 2104).
template <Mac hmac, unsigned block_bytes>
void one_block(const void *block, void *chain) {
    if (refused(!block ? IMB_ERR_NULL_SRC : !chain ? IMB_ERR_NULL_AUTH : 0)) return;
    const ClearRegisters clear(cpu());
    uint8_t key[block_bytes];
    for (unsigned i = 0; i < block_bytes; i++) key[i] = octets(block)[i] ^ 0x36;
    with_key(hmac, key, sizeof(key), [&](const Key &made) {
        const AlgorithmRecord &hash = made.suite->hash->record;
        memcpy(chain, made.inner(), hash.words * hash.word_bytes);
    });
    wipe(key, sizeof(key));
}

template <Mac mac, unsigned digest_bytes>
void digest(const void *in, uint64_t bytes, void *out) {
    if (refused(bytes && !in ? IMB_ERR_NULL_SRC : !out ? IMB_ERR_NULL_AUTH : 0)) return;
    with_key(mac, nullptr, 0, [&](const Key &made) {
        if (cst_digest(reinterpret_cast<const cst_key *>(&made), in, bytes, out, digest_bytes))
            set_error(nullptr, IMB_ERR_MISSING_CPUFLAGS_INIT_MGR);
    });
}

void cfb_128(void *out, const void *in, const void *iv, const void *round_keys, uint64_t bytes) {
    cfb_block(16, out, in, iv, round_keys, bytes);
}

}  // namespace

void cfb_block(uint64_t key_bytes, void *out, const void *in, const void *iv, const void *round_keys, uint64_t bytes) {
    if (refused(!out          ? IMB_ERR_NULL_DST
                : !in         ? IMB_ERR_NULL_SRC
                : !iv         ? IMB_ERR_NULL_IV
                : !round_keys ? IMB_ERR_NULL_EXP_KEY
                : bytes > 16  ? IMB_ERR_CIPH_LEN
                              : 0))
        return;
    const ClearRegisters clear(cpu());
    uint8_t block[BLOCK];
    encrypt_block(key_bytes, round_keys, octets(iv), block);
    for (uint64_t i = 0; i < bytes; i++) octets(out)[i] = octets(in)[i] ^ block[i];
    wipe(block, sizeof(block));
}

void hmac_chains(Mac hmac, const uint8_t *key, size_t bytes, void *inner, void *outer) {
    static const uint8_t zero = 0;  // a key of no bytes is filled up to this one
    with_key(hmac, bytes ? key : &zero, bytes ? bytes : 1, [&](const Key &made) {
        const AlgorithmRecord &hash = made.suite->hash->record;
        if (inner) memcpy(inner, made.inner(), hash.words * hash.word_bytes);
        if (outer) memcpy(outer, made.outer(), hash.words * hash.word_bytes);
    });
}

void set_key_functions(IMB_MGR *manager) {
    manager->keyexp_128 = expand<16>;
    manager->keyexp_192 = expand<24>;
    manager->keyexp_256 = expand<32>;
    manager->cmac_subkey_gen_128 = cmac_masks<16>;
    manager->cmac_subkey_gen_256 = cmac_masks<32>;
    manager->xcbc_keyexp = xcbc_expand;
    manager->sha1_one_block = one_block<Mac::hmac_sha1, 64>;
    manager->sha224_one_block = one_block<Mac::hmac_sha224, 64>;
    manager->sha256_one_block = one_block<Mac::hmac_sha256, 64>;
    manager->sha384_one_block = one_block<Mac::hmac_sha384, 128>;
    manager->sha512_one_block = one_block<Mac::hmac_sha512, 128>;
    manager->md5_one_block = one_block<Mac::hmac_md5, 64>;
    manager->sha1 = digest<Mac::sha1, 20>;
    manager->sha224 = digest<Mac::sha224, 28>;
    manager->sha256 = digest<Mac::sha256, 32>;
    manager->sha384 = digest<Mac::sha384, 48>;
    manager->sha512 = digest<Mac::sha512, 64>;
    manager->aes128_cfb_one = cfb_128;
}

}  // namespace cst::imb
