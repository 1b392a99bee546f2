// Makes key schedules, and HMAC's two chaining values (RFC 2104), with the hash kernels.

#include "keys.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "../suite/block_mac.hpp"
#include "../suite/frame.hpp"
#include "../suite/ghash.hpp"
#include "../suite/padding.hpp"
#include "../suite/secret.hpp"
#include "../executors/alone.hpp"
#include "../storage/checksum.hpp"
#include "../executors/copy.hpp"
#include "key_hash.hpp"
#include "../executors/message.hpp"
#include "../executors/state_steps.hpp"
#include "tree_key.hpp"

namespace cst {
namespace {

constexpr uint64_t IPAD = 0x3636363636363636, OPAD = 0x5c5c5c5c5c5c5c5c;

// A key longer than a block is hashed first; then K ^ ipad and K ^ opad are one block each.
void expand_mac(KeyHash *kernel, const AlgorithmRecord &hash, const uint8_t *mac_key, size_t length, Key *out) {
    const size_t unit = hash.block_bytes;
    uint8_t blocks[2 * MOST_BLOCK + PAD_SLACK] = {};
    if (length > unit) {
        const size_t whole = length / unit * unit;
        uint8_t chain[MOST_CHAIN], *const chains[] = {chain};
        hash_initial(hash, chain);
        kernel->run(&mac_key, chains, 1, whole);
        memcpy(blocks, mac_key + whole, length - whole);
        const uint8_t *const end = blocks;
        kernel->run(&end, chains, 1, hash_pad(hash, blocks, length - whole, length));
        memset(blocks, 0, sizeof(blocks));
        hash_digest(hash, chain, blocks, hash.digest_bytes);
        wipe(chain, sizeof(chain));
    } else if (length) {
        memcpy(blocks, mac_key, length);
    }
    for (size_t i = 0; i < unit; i += 2 * sizeof(uint64_t)) {
        const uint64_t low = load64(blocks + i), high = load64(blocks + i + 8);
        put_words(blocks + i, low ^ IPAD, high ^ IPAD);
        put_words(blocks + unit + i, low ^ OPAD, high ^ OPAD);
    }
    hash_initial(hash, out->inner());
    hash_initial(hash, out->outer());
    const uint8_t *const in[] = {blocks, blocks + unit};
    uint8_t *const chains[] = {out->inner(), out->outer()};
    kernel->run(in, chains, 2, unit);
    wipe(blocks, sizeof(blocks));
}

// Does the same for kernels that read padded blocks.
void expand_framed_mac(KeyHash *kernel, const AlgorithmRecord &hash, const uint8_t *mac_key, size_t length, Key *out) {
    const size_t unit = hash.block_bytes;
    uint8_t key[MOST_FRAME] = {}, frames[2][MOST_FRAME];
    const uint8_t *const in[] = {frames[0], frames[1]};
    if (length > unit) {
        uint8_t chain[MOST_FRAMED_CHAIN], *const chains[] = {chain};
        hash_initial(hash, chain);
        for (size_t at = 0, last = 0; !last; at += unit) {
            const size_t some = std::min(length - at, unit);
            last = !fills_frame(hash, length - at, unit);
            memcpy(frames[0], mac_key + at, some);
            end_frame(hash, frames[0], some, at + some, last, hash.domain);
            kernel->run(in, chains, 1, hash.input_bytes);
        }
        memcpy(key, chain, hash.digest_bytes);
        wipe(chain, sizeof(chain));
    } else if (length) {
        memcpy(key, mac_key, length);
    }
    for (size_t i = 0; i < unit; i++) {
        frames[0][i] = key[i] ^ uint8_t(IPAD);
        frames[1][i] = key[i] ^ uint8_t(OPAD);
    }
    for (uint8_t *frame : {frames[0], frames[1]}) end_frame(hash, frame, unit, unit, false, hash.domain);
    hash_initial(hash, out->inner());
    hash_initial(hash, out->outer());
    uint8_t *const chains[] = {out->inner(), out->outer()};
    kernel->run(in, chains, 2, hash.input_bytes);
    wipe(frames, sizeof(frames));
    wipe(key, sizeof(key));
}

// Computes H = E(K, 0) and its powers (SP 800-38D, 6.4).
void expand_gcm(const Suite &suite, Key *out) {
    uint8_t h[AES_BLOCK] = {};
    if (suite.schedule) CounterBlocks(suite).encipher(out->encrypt(), h, h);
    else aes_encrypt(out->encrypt(), suite.encrypt->record.rounds, h, h);
    ghash_powers(h, GHASH_POWERS, out->powers());
    wipe(h, sizeof(h));
}

// Sets the checksum's parameters: those in the key, if it has one; else those of the catalogue.
void expand_checksum(const Suite &suite, const uint8_t *key, size_t key_len, Key *out) {
    Crc crc(suite.hash->record);
    if (key_len) memcpy(&crc, key, sizeof(crc));  // api/checksum.cpp has checked it
    out->set_crc(crc);
    if (!crc.modulus) crc_rows(crc, out->powers());
}

void expand_cipher(const Suite &suite, const uint8_t *key, size_t key_len, Key *out) {
    const AlgorithmRecord &cipher = suite.encrypt->record;
    const bool inverse = suite.decrypt != suite.encrypt;
    if (cipher.kind == ALGORITHM_CHACHA || cipher.kind == ALGORITHM_DUPLEX) {
        memcpy(out->encrypt(), key, key_len);
    } else if (suite.schedule) {
        KeySchedule(suite, *ready_kernel(suite.schedules, UINT64_MAX)).expand(key, out->encrypt());
    } else if (cipher.kind == ALGORITHM_RC4) {
        rc4_expand_vartime(key, key_len, out->rc4());
    } else if (cipher.is_des()) {
        des_expand(key, cipher.key_bytes, out->encrypt());
        if (inverse) des_invert(out->encrypt(), cipher.key_bytes, out->decrypt());
    } else {
        aes_expand(key, cipher.key_bytes, out->encrypt());
        if (inverse) aes_invert(out->encrypt(), cipher.rounds, out->decrypt());
        if (suite.tweaked()) aes_expand(key + cipher.key_bytes, cipher.key_bytes, out->tweak());
    }
}

// Expands all parts of the key that need no hash kernel.
void expand_others(const Suite &suite, const uint8_t *key, size_t key_len, const uint8_t *mac_key, Key *out) {
    const bool checked = suite.construction == Construction::checked;  // the first half is the cipher
    if (suite.enciphers() && !checked) expand_cipher(suite, key, key_len, out);
    if (suite.construction == Construction::gcm) expand_gcm(suite, out);
    else if (is_checksum(suite)) expand_checksum(suite, key, key_len, out);
    else if (suite.key_layout.masks) expand_block_mac(suite, mac_key, out);
    if (!suite.halves[0]) return;
    // Neither can fail: make_key has looked at the cipher's key, and others have no bytes.
    make_key(*suite.halves[0], checked ? key : nullptr, checked ? key_len : 0, nullptr, 0, out->half_memory(0));
    make_key(*suite.halves[1], nullptr, 0, nullptr, 0, out->half_memory(1));
}

// Not inlined: make_key calls itself for the halves of a suite, and no half has this kernel's state.
__attribute__((noinline)) int make_hmac_key(const Suite &suite, const uint8_t *key, size_t key_len,
                                            const uint8_t *mac_key, size_t mac_key_len, void *memory) {
    KeyHash kernel(suite);
    if (int error = kernel.prepare()) return error;
    Key *const out = Key::make(suite, memory);
    expand_others(suite, key, key_len, mac_key, out);
    const bool framed = suite.construction == Construction::framed;
    (framed ? expand_framed_mac : expand_mac)(&kernel, suite.hash->record, mac_key, mac_key_len, out);
    return CST_OK;
}

// Makes the key of a hash with a key: the chaining value with which messages begin, and the key itself for their end.
__attribute__((noinline)) int make_keyed_hash_key(const Suite &suite, const uint8_t *mac_key, void *memory) {
    const AlgorithmRecord &start = suite.start->record;
    KeyHash kernel(suite, suite.starts, start);
    if (int error = kernel.prepare()) return error;
    Key *const out = Key::make(suite, memory);
    uint8_t input[MOST_FRAME];
    put_step_input(start, mac_key, nullptr, 0, input);
    hash_initial(suite.hash->record, out->inner());
    const uint8_t *const in[] = {input};
    uint8_t *const chains[] = {out->inner()};
    kernel.run(in, chains, 1, start.input_bytes);
    memcpy(out->mac(), mac_key, start.key_bytes);
    wipe(input, sizeof(input));
    return CST_OK;
}

}  // namespace

int make_key(const Suite &suite, const uint8_t *key, size_t key_len, const uint8_t *mac_key, size_t mac_key_len,
             void *memory) {
    if (suite.construction == Construction::rfc7518) {  // MAC_KEY || ENC_KEY
        mac_key = key;
        mac_key_len = suite.key_bytes - suite.encrypt->record.key_bytes;
        key += mac_key_len;
        key_len -= mac_key_len;
    }
    const Suite &cipher = suite.construction == Construction::checked ? *suite.halves[0] : suite;
    // IEEE 1619, 5.1: the key consists of two keys, which must differ (FIPS 140-3 IG, C.I).
    if (cipher.tweaked() && same_bytes(key, key + key_len / 2, key_len / 2)) return CST_ERR_ARGUMENT;
    if (cipher.schedule && !ready_kernel(cipher.schedules, UINT64_MAX)) return CST_ERR_UNSUPPORTED;
    if (cipher.needs_block() && !cipher.block && !ready_kernel(cipher.blocks, AES_BLOCK)) return CST_ERR_UNSUPPORTED;
    if (suite.construction == Construction::tree && suite.mac())
        return make_tree_key(suite, mac_key, mac_key_len, memory);
    if (suite.keyed_hash()) return make_keyed_hash_key(suite, mac_key, memory);
    if (!suite.hmac()) {
        expand_others(suite, key, key_len, mac_key, Key::make(suite, memory));
        return CST_OK;
    }
    return make_hmac_key(suite, key, key_len, mac_key, mac_key_len, memory);
}

// Aligns a larger block itself, because the C library takes longer for an aligned block than AES for its key schedule.
int new_key(const Suite &suite, const uint8_t *key, size_t key_len, const uint8_t *mac_key, size_t mac_key_len,
            KeyPointer *out) {
    constexpr size_t aligned = alignof(Key);
    void *const block = malloc(suite.key_layout.bytes + aligned - 1);
    if (!block) return CST_ERR_MEMORY;
    void *const memory = static_cast<uint8_t *>(block) + (-reinterpret_cast<uintptr_t>(block) & (aligned - 1));
    if (int error = make_key(suite, key, key_len, mac_key, mac_key_len, memory)) {
        free(block);
        return error;
    }
    out->reset(static_cast<Key *>(memory));
    (*out)->block = block;
    return CST_OK;
}

}  // namespace cst
