#include "gcm.hpp"

#include <algorithm>
#include <cstring>

#include "run/ghash.hpp"
#include "suite/aes.hpp"
#include "suite/ghash.hpp"
#include "suite/key.hpp"
#include "suite/secret.hpp"

namespace cst::imb {
namespace {

static_assert(sizeof(gcm_key_data::ghash_keys) >= (GHASH_POWERS + MOST_WHOLE_GHASH - 1) * sizeof(KeyRow),
              "where the powers lie, and rows that are read behind them");
// What stands in the context's fields.
uint8_t *hash_of(gcm_context_data *context) { return context->aad_hash; }
uint8_t *first_block(gcm_context_data *context) { return context->orig_IV; }  // E(K, J0)
uint8_t *key_stream(gcm_context_data *context) { return context->partial_block_enc_key; }

const KeyRow *powers_end(const gcm_key_data &key) { return static_cast<const KeyRow *>(powers_of(key)) + GHASH_POWERS; }
KeyRow *powers(gcm_key_data *key) { return reinterpret_cast<KeyRow *>(&key->ghash_keys); }

// Of any AES: GHASH is the same.
void absorb(const KeyRow *end, uint8_t *hash, const void *data, uint64_t bytes) {
    if (const Suite *const suite = cipher_suite(Cipher::gcm, 16)) cst::ghash(*suite, end, hash, data, bytes);
}
void absorb(const gcm_key_data &key, uint8_t *hash, const void *data, uint64_t bytes) {
    absorb(powers_end(key), hash, data, bytes);
}

// A block whose bytes were added one after the other is whole.
void multiply(const gcm_key_data &key, uint8_t *hash) {
    static const uint8_t zero[BLOCK] = {};
    absorb(key, hash, zero, BLOCK);
}

void put_lengths(uint8_t *block, uint64_t aad_bytes, uint64_t text_bytes) {
    const uint64_t words[] = {__builtin_bswap64(8 * aad_bytes), __builtin_bswap64(8 * text_bytes)};
    memcpy(block, words, sizeof(words));
}

void add_into(uint8_t *to, const uint8_t *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] ^= from[i];
}

// Bytes of a block that was begun, or is: as many as there is room for. Ciphertext goes into the hash.
size_t part_of_block(gcm_context_data *context, uint8_t *out, const uint8_t *in, uint64_t bytes, bool opens) {
    const size_t at = size_t(context->partial_block_length), n = size_t(std::min<uint64_t>(bytes, BLOCK - at));
    for (size_t i = 0; i < n; i++) {
        const uint8_t from = in[i], to = from ^ key_stream(context)[at + i];
        hash_of(context)[at + i] ^= opens ? from : to;
        out[i] = to;
    }
    context->partial_block_length = (at + n) % BLOCK;
    return n;
}

}  // namespace

const void *powers_of(const gcm_key_data &key) { return &key.ghash_keys; }

void ghash_expand(const void *hash_key, gcm_key_data *out) {
    ghash_powers(octets(hash_key), GHASH_POWERS, powers(out));
}

void gcm_expand_hash(uint64_t key_bytes, gcm_key_data *out) {
    uint8_t h[BLOCK] = {};
    encrypt_block(key_bytes, out->expanded_keys, h, h);
    ghash_expand(h, out);
    wipe(h, sizeof(h));
}

void gcm_expand(uint64_t key_bytes, const void *key, gcm_key_data *out) {
    aes_expand(octets(key), uint32_t(key_bytes), reinterpret_cast<KeyRow *>(out->expanded_keys));
    gcm_expand_hash(key_bytes, out);
}

void gcm_first_counter(const gcm_key_data &key, const uint8_t *iv, uint64_t iv_bytes, uint8_t *counter) {
    memset(counter, 0, BLOCK);
    if (iv_bytes == GCM_IV) {
        memcpy(counter, iv, GCM_IV);
        counter[BLOCK - 1] = 1;
        return;
    }
    uint8_t lengths[BLOCK];
    absorb(key, counter, iv, iv_bytes);
    put_lengths(lengths, 0, iv_bytes);
    absorb(key, counter, lengths, BLOCK);
}

void gcm_begin(uint64_t key_bytes, const gcm_key_data &key, gcm_context_data *context, const uint8_t *iv,
               uint64_t iv_bytes, const uint8_t *aad, uint64_t aad_bytes) {
    memset(context, 0, sizeof(*context));
    gcm_first_counter(key, iv, iv_bytes, context->current_counter);
    encrypt_block(key_bytes, key.expanded_keys, context->current_counter, first_block(context));
    count_on_32(context->current_counter, 1);
    context->aad_length = aad_bytes;
    if (aad_bytes) absorb(key, hash_of(context), aad, aad_bytes);
}

void gcm_text(uint64_t key_bytes, const gcm_key_data &key, gcm_context_data *context, uint8_t *out, const uint8_t *in,
              uint64_t bytes, bool opens) {
    context->in_length += bytes;
    const auto take = [&](size_t n) {
        in += n;
        out += n;
        bytes -= n;
    };
    if (bytes && context->partial_block_length) {
        take(part_of_block(context, out, in, bytes, opens));
        if (!context->partial_block_length) multiply(key, hash_of(context));
    }
    if (const uint64_t blocks = bytes / BLOCK) {
        if (opens) absorb(key, hash_of(context), in, blocks * BLOCK);
        counter_blocks(key_bytes, key.expanded_keys, context->current_counter, in, out, blocks);
        if (!opens) absorb(key, hash_of(context), out, blocks * BLOCK);
        take(size_t(blocks * BLOCK));
    }
    if (!bytes) return;
    encrypt_block(key_bytes, key.expanded_keys, context->current_counter, key_stream(context));
    count_on_32(context->current_counter, 1);
    part_of_block(context, out, in, bytes, opens);
}

void gmac_text(const gcm_key_data &key, gcm_context_data *context, const uint8_t *in, uint64_t bytes) {
    context->aad_length += bytes;
    if (const size_t at = size_t(context->partial_block_length); at && bytes) {
        const size_t n = size_t(std::min<uint64_t>(bytes, BLOCK - at));
        add_into(hash_of(context) + at, in, n);
        context->partial_block_length = (at + n) % BLOCK;
        if (!context->partial_block_length) multiply(key, hash_of(context));
        in += n;
        bytes -= n;
    }
    const size_t rest = bytes % BLOCK;
    absorb(key, hash_of(context), in, bytes - rest);
    if (!rest) return;
    add_into(hash_of(context), in + bytes - rest, rest);
    context->partial_block_length = rest;
}

void gcm_end(const gcm_key_data &key, gcm_context_data *context, uint8_t *tag, uint64_t tag_bytes) {
    uint8_t lengths[BLOCK];
    if (context->partial_block_length) multiply(key, hash_of(context));
    put_lengths(lengths, context->aad_length, context->in_length);
    absorb(key, hash_of(context), lengths, BLOCK);
    add_into(hash_of(context), first_block(context), BLOCK);
    memcpy(tag, hash_of(context), size_t(std::min<uint64_t>(tag_bytes, BLOCK)));
    wipe(context, sizeof(*context));
}

void gcm_tag(uint64_t key_bytes, const gcm_key_data &key, const uint8_t *iv, uint64_t iv_bytes, const uint8_t *aad,
             uint64_t aad_bytes, const uint8_t *ciphertext, uint64_t bytes, uint8_t *tag) {
    uint8_t hash[BLOCK] = {}, lengths[BLOCK], counter[BLOCK];
    if (aad_bytes) absorb(key, hash, aad, aad_bytes);
    if (bytes) absorb(key, hash, ciphertext, bytes);
    put_lengths(lengths, aad_bytes, bytes);
    absorb(key, hash, lengths, BLOCK);
    gcm_first_counter(key, iv, iv_bytes, counter);
    encrypt_block(key_bytes, key.expanded_keys, counter, tag);
    add_into(tag, hash, BLOCK);
    wipe(hash, sizeof(hash));
}

// With n blocks of ciphertext C and the lengths L: GHASH is A H^(n+1) + C' H + L H, where A is the AAD's, C' that of C
// so far; the GMAC has C' H + M H, where M are the lengths of C as AAD. The difference is (A H^n + L + M) H.
void tag_of_gmac(const gcm_key_data &key, const uint8_t *aad, uint64_t aad_bytes, uint64_t text_bytes, uint8_t *tag) {
    static const uint8_t zero[BLOCK] = {};
    uint8_t sum[BLOCK] = {}, lengths[BLOCK];
    if (aad_bytes) {
        absorb(key, sum, aad, aad_bytes);
        uint64_t n = (text_bytes + BLOCK - 1) / BLOCK;
        for (uint64_t some; n; n -= some) {
            some = std::min<uint64_t>(n, GHASH_POWERS);
            absorb(powers_end(key) - (some - 1), sum, zero, BLOCK);  // times H^some
        }
    }
    put_lengths(lengths, aad_bytes, text_bytes);
    add_into(sum, lengths, BLOCK);
    put_lengths(lengths, text_bytes, 0);
    add_into(sum, lengths, BLOCK);
    absorb(key, sum, zero, BLOCK);
    add_into(tag, sum, BLOCK);
    wipe(sum, sizeof(sum));
}

void ghash(const gcm_key_data &key, const uint8_t *first, const uint8_t *data, uint64_t bytes, uint8_t *tag) {
    memcpy(tag, first, BLOCK);
    if (bytes) absorb(key, tag, data, bytes);
}

}  // namespace cst::imb
