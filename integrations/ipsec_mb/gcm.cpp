#include "gcm.hpp"

#include <algorithm>
#include <cstring>

#include "gcm_message.hpp"
#include "executors/copy.hpp"
#include "executors/alone.hpp"
#include "parts/key_stream.hpp"
#include "suite/aes.hpp"
#include "suite/ghash.hpp"
#include "suite/key.hpp"
#include "suite/secret.hpp"

namespace cst::imb {
namespace {

// The state in the context's fields. The hash is kept before the last block's multiplication: blocks A1 .. An make A1
// H^(n-1) + .. + An, so that further bytes of the last block are added to it.
uint8_t *hash_of(gcm_context_data *context) { return context->aad_hash; }
uint8_t *first_counter(gcm_context_data *context) { return context->orig_IV; }        // J0
uint8_t *last_counter(gcm_context_data *context) { return context->current_counter; }  // that was used

// A message that has failed, or a context that none can have: of a block that was begun there are fewer bytes.
constexpr uint64_t FAILED = ~uint64_t(0);
bool has_failed(const gcm_context_data &context) { return context.partial_block_length >= BLOCK; }
bool fail(gcm_context_data *context) {
    wipe(context, sizeof(*context));
    context->partial_block_length = FAILED;
    return false;
}

void absorb(const gcm_key_data &key, uint8_t *hash, const void *data, uint64_t bytes) {
    // Any AES suite will do: GHASH is the same.
    cst::ghash(basic_suite(Cipher::gcm, 16), powers_end(key), hash, data, bytes);
}

void add_block(uint8_t *to, const uint8_t *block) {
    put_words(to, load64(to) ^ load64(block), load64(to + 8) ^ load64(block + 8));
}
void add_few(uint8_t *to, const uint8_t *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] ^= from[i];
}

void put_lengths(uint8_t *block, uint64_t aad_bytes, uint64_t text_bytes) {
    put_words(block, __builtin_bswap64(8 * aad_bytes), __builtin_bswap64(8 * text_bytes));
}

// Returns how many of `bytes` bytes are in the last block.
size_t bytes_of_last(uint64_t bytes) { return size_t((bytes - 1) % BLOCK + 1); }

// The last block is added to a hash that is kept as in a context, after whole ones.
void absorb_kept(const gcm_key_data &key, uint8_t *hash, const uint8_t *data, uint64_t bytes) {
    const size_t last = bytes_of_last(bytes);
    alignas(BLOCK) uint8_t kept[BLOCK];
    memcpy(kept, hash, BLOCK);
    put_zeros(hash);
    absorb(key, hash, kept, BLOCK);
    absorb(key, hash, data, bytes - last);
    add_few(hash, data + bytes - last, last);
}

// Begins the hash in the form that a context keeps.
void begin_hash(const gcm_key_data &key, uint8_t *hash, const uint8_t *aad, uint64_t bytes) {
    put_zeros(hash);
    if (!bytes) return;
    const size_t last = bytes_of_last(bytes);
    absorb(key, hash, aad, bytes - last);
    if (last == BLOCK) add_block(hash, aad + bytes - last);
    else add_few(hash, aad + bytes - last, last);
}

// J0 (7.1, step 2).
void put_first_counter(const gcm_key_data &key, const uint8_t *iv, uint64_t bytes, uint8_t *counter) {
    if (bytes == GCM_IV) return put_words(counter, load64(iv), load64(iv + 4) >> 32 | uint64_t(1) << 56);
    alignas(BLOCK) uint8_t lengths[BLOCK];
    put_zeros(counter);
    absorb(key, counter, iv, bytes);
    put_lengths(lengths, 0, bytes);
    absorb(key, counter, lengths, BLOCK);
}

// Bytes of a block that was begun: as many as there is room for.
size_t go_on(gcm_context_data *context, const uint8_t *key_stream, uint8_t *out, const uint8_t *in, uint64_t bytes,
             bool opens) {
    const size_t at = size_t(context->partial_block_length), n = size_t(std::min<uint64_t>(bytes, BLOCK - at));
    for (size_t i = 0; i < n; i++) {
        const uint8_t from = in[i], to = from ^ key_stream[at + i];
        hash_of(context)[at + i] ^= opens ? from : to;
        out[i] = to;
    }
    context->partial_block_length = (at + n) % BLOCK;
    return n;
}

// Runs cipher and hash one after the other, where no kernel takes a piece.
bool text_apart(uint64_t key_bytes, const gcm_key_data &key, gcm_context_data *context, uint8_t *out, const uint8_t *in,
                uint64_t bytes, bool opens) {
    if (opens) absorb_kept(key, hash_of(context), in, bytes);
    const size_t rest = bytes % BLOCK;
    uint8_t *const counter = last_counter(context), *const end = out + bytes - rest;
    count_on(counter, 1);
    if (!counter_blocks(key_bytes, key.expanded_keys, counter, in, out, bytes / BLOCK)) return false;
    if (rest) {
        alignas(BLOCK) uint8_t stream[BLOCK];
        encrypt_block(key_bytes, key.expanded_keys, counter, stream);
        for (size_t i = 0; i < rest; i++) end[i] = in[bytes - rest + i] ^ stream[i];
        wipe(stream, sizeof(stream));
    } else {
        count_on(counter, UINT32_MAX);  // back
    }
    if (!opens) absorb_kept(key, hash_of(context), out, bytes);
    return true;
}

}  // namespace

void ghash_expand(const void *hash_key, gcm_key_data *out) { put_powers(32, octets(hash_key), out); }

void gcm_expand_hash(uint64_t key_bytes, gcm_key_data *out) {
    uint8_t h[BLOCK] = {};
    encrypt_block(key_bytes, out->expanded_keys, h, h);
    put_powers(key_bytes, h, out);
    wipe(h, sizeof(h));
}

void gcm_expand(uint64_t key_bytes, const void *key, gcm_key_data *out) {
    aes_expand(octets(key), uint32_t(key_bytes), reinterpret_cast<KeyRow *>(out->expanded_keys));
    gcm_expand_hash(key_bytes, out);
}

bool gcm_whole(uint64_t key_bytes, const gcm_key_data &key, bool opens, const GcmInput &input, uint8_t *out,
               const uint8_t *in, uint64_t bytes, uint8_t *tag) {
    if (in != out && meet(in, bytes, out, bytes)) in = static_cast<uint8_t *>(memmove(out, in, size_t(bytes)));
    GcmMessage message = {opens, input.iv, input.aad, input.aad_bytes, in, out, bytes};
    if (input.iv_bytes == GCM_IV && run_gcm_listed(key_bytes, key, message, tag)) return true;
    alignas(BLOCK) uint8_t counter[BLOCK], block[BLOCK], copy[MESSAGE_AAD];
    put_first_counter(key, input.iv, input.iv_bytes, counter);
    message.counter = counter;
    if (input.aad_bytes > MESSAGE_AAD || !has_powers(input.aad_bytes, bytes)) {  // one block stands for all of them
        begin_hash(key, block, input.aad, input.aad_bytes);
        message.aad = block;
        message.aad_bytes = BLOCK;
    } else if (meet(input.aad, input.aad_bytes, out, bytes)) {
        message.aad = static_cast<uint8_t *>(memcpy(copy, input.aad, size_t(input.aad_bytes)));
    }
    if (run_gcm_message(key_bytes, key, message, input.aad_bytes, tag)) return true;
    gcm_context_data context;
    gcm_begin(key, &context, input);
    if (bytes && !text_apart(key_bytes, key, &context, out, in, bytes, opens)) {
        wipe(out, size_t(bytes));
        fail(&context);
    } else {
        context.in_length = bytes;
    }
    return gcm_end(key_bytes, key, &context, tag, BLOCK);
}

void gcm_begin(const gcm_key_data &key, gcm_context_data *context, const GcmInput &input) {
    put_first_counter(key, input.iv, input.iv_bytes, first_counter(context));
    memcpy(last_counter(context), first_counter(context), BLOCK);
    begin_hash(key, hash_of(context), input.aad, input.aad_bytes);
    context->aad_length = input.aad_bytes;
    context->in_length = context->partial_block_length = 0;
}

bool gcm_text(uint64_t key_bytes, const gcm_key_data &key, gcm_context_data *context, uint8_t *out, const uint8_t *in,
              uint64_t bytes, bool opens) {
    uint8_t *const whole = out;
    const uint64_t whole_bytes = bytes;
    bool done = !has_failed(*context);
    if (!done) bytes = context->partial_block_length = 0;
    context->in_length += bytes;
    if (in != out && meet(in, bytes, out, bytes)) in = static_cast<uint8_t *>(memmove(out, in, size_t(bytes)));
    // Keystream of the last block that was begun, and the mask of a piece's chaining value.
    alignas(BLOCK) uint8_t stream[BLOCK], chain[BLOCK], last[BLOCK];
    encrypt_block(key_bytes, key.expanded_keys, last_counter(context), stream);
    if (context->partial_block_length) {
        const size_t n = go_on(context, stream, out, in, bytes, opens);
        in += n;
        out += n;
        bytes -= n;
    }
    if (bytes) {
        const size_t n = bytes_of_last(bytes);
        put_zeros(last);
        if (opens) copy_few(last, in + bytes - n, n);
        const GcmMessage piece = {opens, last_counter(context), hash_of(context), BLOCK, in, out, bytes};
        if (run_gcm_piece(key_bytes, key, piece, chain)) {
            if (!opens) copy_few(last, out + bytes - n, n);
            add_block(chain, stream);
            add_block(chain, last);
            memcpy(hash_of(context), chain, BLOCK);
            count_on(last_counter(context), (bytes + BLOCK - 1) / BLOCK);
        } else {
            done = text_apart(key_bytes, key, context, out, in, bytes, opens);
        }
        context->partial_block_length = n % BLOCK;
    }
    wipe(stream, sizeof(stream));
    wipe(chain, sizeof(chain));
    wipe(last, sizeof(last));
    if (done) return true;
    wipe(whole, size_t(whole_bytes));
    return fail(context);
}

bool gmac_text(const gcm_key_data &key, gcm_context_data *context, const uint8_t *in, uint64_t bytes) {
    if (has_failed(*context)) return false;
    const size_t at = size_t(context->partial_block_length), n = at ? size_t(std::min<uint64_t>(bytes, BLOCK - at)) : 0;
    add_few(hash_of(context) + at, in, n);
    if (n < bytes) absorb_kept(key, hash_of(context), in + n, bytes - n);
    context->aad_length += bytes;
    context->partial_block_length = (at + bytes) % BLOCK;
    return true;
}

bool gcm_end(uint64_t key_bytes, const gcm_key_data &key, gcm_context_data *context, uint8_t *tag, uint64_t tag_bytes) {
    const bool done = !has_failed(*context);
    alignas(BLOCK) uint8_t all[BLOCK], blocks[2 * BLOCK];
    memcpy(blocks, hash_of(context), BLOCK);
    put_lengths(blocks + BLOCK, context->aad_length, context->in_length);
    put_zeros(all);
    absorb(key, all, blocks, sizeof(blocks));
    encrypt_block(key_bytes, key.expanded_keys, first_counter(context), blocks);
    add_block(all, blocks);
    if (!done) put_zeros(all);
    copy_few(tag, all, size_t(std::min<uint64_t>(tag_bytes, BLOCK)));
    wipe(all, sizeof(all));
    wipe(blocks, sizeof(blocks));
    wipe(context, sizeof(*context));
    return done;
}

void ghash(const gcm_key_data &key, const uint8_t *first, const uint8_t *data, uint64_t bytes, uint8_t *tag) {
    memcpy(tag, first, BLOCK);
    if (bytes) absorb(key, tag, data, bytes);
}

}  // namespace cst::imb
