// Keys: the schedules of ciphers, and HMAC's two chaining values (made by the hash kernels themselves).

#include <cstring>
#include <new>

#include "../suite/padding.hpp"
#include "../suite/secret.hpp"
#include "burst.hpp"
#include "gcm.hpp"
#include "work.hpp"

namespace cst {
namespace {

void hash_blocks(const Suite &suite, Arena *arena, size_t n) {
    Phase phase;
    phase.suite = &suite;
    phase.family = &suite.hashes;
    run_phase(phase, &arena->lanes, arena->items, arena->order, n);
}

void hash_item(Arena *arena, size_t i, const uint8_t *in, uint64_t bytes, uint8_t *chain) {
    Item *item = new (&arena->works[i].item) Item;
    item->hash_in = in;
    item->bytes = bytes;
    item->hash_from = item->hash_chain = chain;
    arena->items[i] = item;
}

// RFC 2104: a key longer than a block is hashed first; then K ^ ipad and K ^ opad are one block each.
int expand_mac(const Suite &suite, const uint8_t *mac_key, size_t length, Key *out) {
    const AlgorithmRecord &hash = suite.hash->record;
    const size_t unit = hash.block_bytes;
    Arena arena;
    if (int error = arena.allocate(*suite.engine, 2)) return error;
    uint8_t blocks[2 * MOST_BLOCK + PAD_SLACK] = {};
    if (length > unit) {
        const size_t whole = length / unit * unit;
        uint8_t chain[64] = {};
        hash_initial(hash, chain);
        hash_item(&arena, 0, mac_key, whole, chain);
        hash_blocks(suite, &arena, 1);
        memcpy(blocks, mac_key + whole, length - whole);
        hash_item(&arena, 0, blocks, hash_pad(hash, blocks, length - whole, length), chain);
        hash_blocks(suite, &arena, 1);
        wipe(blocks, sizeof(blocks));
        hash_digest(hash, chain, blocks, hash.digest_bytes);
        wipe(chain, sizeof(chain));
    } else if (length) {
        memcpy(blocks, mac_key, length);
    }
    for (size_t i = 0; i < unit; i++) {
        blocks[unit + i] = blocks[i] ^ 0x5c;
        blocks[i] ^= 0x36;
    }
    hash_initial(hash, out->inner);
    hash_initial(hash, out->outer);
    hash_item(&arena, 0, blocks, unit, out->inner);
    hash_item(&arena, 1, blocks + unit, unit, out->outer);
    hash_blocks(suite, &arena, 2);
    wipe(blocks, sizeof(blocks));
    return CST_OK;
}

// IEEE 1619, 5.1: two keys, which must differ (FIPS 140-3 IG, C.I).
int expand_xts(const Suite &suite, const uint8_t *key, Key *out) {
    const uint32_t each = suite.encrypt->record.key_bytes;
    if (same_bytes(key, key + each, each)) return CST_ERR_ARGUMENT;
    aes_expand(key + each, each, out->tweak);
    return CST_OK;
}

}  // namespace

int expand_key(const Suite &suite, const uint8_t *key, size_t key_len, const uint8_t *mac_key, size_t mac_key_len, Key *out) {
    out->suite = &suite;
    if (suite.construction == Construction::chacha || suite.construction == Construction::chacha_poly) {
        memcpy(out->encrypt, key, suite.key_bytes);
        memcpy(out->decrypt, key, suite.key_bytes);
        return CST_OK;
    }
    if (suite.construction == Construction::rfc7518) {  // MAC_KEY || ENC_KEY
        mac_key = key;
        mac_key_len = suite.key_bytes - suite.encrypt->record.key_bytes;
        key += mac_key_len;
    }
    if (suite.construction == Construction::xts)
        if (int error = expand_xts(suite, key, out)) return error;
    if (suite.construction == Construction::cmac || suite.construction == Construction::xcbc) {
        expand_block_mac(suite, mac_key, out->encrypt, out);
        return CST_OK;
    }
    if (suite.construction == Construction::rc4 || suite.construction == Construction::rc4_hmac) {
        rc4_expand_vartime(key, key_len, out->rc4);
    } else if (suite.half_blocks()) {
        des_expand(key, suite.encrypt->record.key_bytes, out->encrypt);
        des_invert(out->encrypt, suite.encrypt->record.key_bytes, out->decrypt);
    } else if (suite.enciphers()) {
        aes_expand(key, suite.encrypt->record.key_bytes, out->encrypt);
        if (suite.decrypt != suite.encrypt) aes_invert(out->encrypt, suite.encrypt->record.rounds, out->decrypt);
    }
    if (suite.construction == Construction::ccm) return CST_OK;
    if (suite.construction == Construction::gcm) return gcm_key(suite, out);
    if (suite.block_mac()) {
        expand_block_mac(suite, mac_key, out->mac, out);
        return CST_OK;
    }
    if (suite.mac()) return expand_mac(suite, mac_key, mac_key_len, out);
    if (suite.hash) hash_initial(suite.hash->record, out->inner);
    return CST_OK;
}

}  // namespace cst
