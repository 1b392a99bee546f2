#include "chacha.hpp"

#include <algorithm>
#include <cstring>

#include "cryptostitch/cryptostitch.h"
#include "errors.hpp"
#include "executors/alone.hpp"
#include "parts/key_stream.hpp"
#include "suite/registers.hpp"
#include "suite/secret.hpp"

namespace cst::imb {
namespace {

constexpr size_t BLOCK = 16, KEY_BYTES = 32, NONCE = 12;
typedef chacha20_poly1305_context_data Context;
static_assert(sizeof(PolyKey) <= sizeof(Context::poly_key) && sizeof(Context::last_ks) == CHACHA_BLOCK);

void absorb_blocks(const PolyKey &key, uint64_t *sum, const uint8_t *data, uint64_t blocks) {
    const Suite &suite = basic_suite(Cipher::chacha20_poly1305, KEY_BYTES);
    if (blocks) poly1305_blocks(*suite.engine, suite.hashes, key, sum, data, blocks);
}

// Filled up with zeros.
void absorb_padded(const PolyKey &key, uint64_t *sum, const uint8_t *data, uint64_t bytes) {
    absorb_blocks(key, sum, data, bytes / BLOCK);
    const size_t rest = bytes % BLOCK;
    if (!rest) return;
    uint8_t block[BLOCK] = {};
    memcpy(block, data + bytes - rest, rest);
    absorb_blocks(key, sum, block, 1);
}

void absorb_lengths(const PolyKey &key, uint64_t *sum, uint64_t aad_bytes, uint64_t text_bytes) {
    const uint64_t lengths[] = {aad_bytes, text_bytes};
    absorb_blocks(key, sum, reinterpret_cast<const uint8_t *>(lengths), 1);
}

// A context whose message has failed, or that no message can have: so many bytes never wait.
constexpr uint64_t FAILED = ~uint64_t(0);
bool has_failed(const Context &context) {
    return context.remain_ct_bytes >= BLOCK || context.remain_ks_bytes > CHACHA_BLOCK;
}
bool fail(Context *context) {
    wipe(context, sizeof(*context));
    context->remain_ct_bytes = FAILED;
    return false;
}

PolyKey poly_key(const Context &context) {
    PolyKey key;
    memcpy(&key, context.poly_key, sizeof(key));
    return key;
}

// Ciphertext in pieces: what does not fill a block waits.
void absorb_ciphertext(const PolyKey &key, Context *context, const uint8_t *data, uint64_t bytes) {
    const uint64_t waiting = context->remain_ct_bytes;
    if (waiting) {
        const uint64_t n = std::min(bytes, BLOCK - waiting);
        memcpy(context->poly_scratch + waiting, data, size_t(n));
        context->remain_ct_bytes = waiting + n;
        if (waiting + n < BLOCK) return;
        absorb_blocks(key, context->hash, context->poly_scratch, 1);
        data += n;
        bytes -= n;
    }
    absorb_blocks(key, context->hash, data, bytes / BLOCK);
    context->remain_ct_bytes = bytes % BLOCK;
    memcpy(context->poly_scratch, data + bytes - bytes % BLOCK, bytes % BLOCK);
}

bool cipher_text(const void *key, Context *context, uint8_t *out, const uint8_t *in, uint64_t bytes) {
    const auto take = [&](uint64_t n) {
        in += n;
        out += n;
        bytes -= n;
    };
    const auto use_rest = [&] {
        const uint64_t n = std::min(bytes, context->remain_ks_bytes);
        const uint8_t *const stream = context->last_ks + CHACHA_BLOCK - context->remain_ks_bytes;
        for (uint64_t i = 0; i < n; i++) out[i] = in[i] ^ stream[i];
        context->remain_ks_bytes -= n;
        take(n);
    };
    use_rest();
    if (const uint64_t blocks = bytes / CHACHA_BLOCK) {
        if (!key_stream(key, context->IV, context->last_block_count, in, out, blocks * CHACHA_BLOCK)) return false;
        context->last_block_count += blocks;
        take(blocks * CHACHA_BLOCK);
    }
    if (!bytes) return true;
    uint8_t *const stream = context->last_ks;
    memset(stream, 0, CHACHA_BLOCK);
    if (!key_stream(key, context->IV, context->last_block_count++, stream, stream, CHACHA_BLOCK)) return false;
    context->remain_ks_bytes = CHACHA_BLOCK;
    use_rest();
    return true;
}

}  // namespace

bool key_stream(const void *key, const uint8_t *nonce, uint64_t block, const uint8_t *in, uint8_t *out,
                uint64_t bytes) {
    const Suite &suite = basic_suite(Cipher::chacha20, KEY_BYTES);
    uint8_t iv[BLOCK];
    const uint32_t first = uint32_t(block);
    memcpy(iv, &first, sizeof(first));
    memcpy(iv + sizeof(first), nonce, NONCE);
    return !add_key_stream(&suite, key, iv, {in, size_t(bytes)}, out);
}

bool chacha_begin(const void *key, Context *context, const uint8_t *iv, const uint8_t *aad, uint64_t aad_bytes) {
    memset(context, 0, sizeof(*context));
    memcpy(context->IV, iv, NONCE);
    if (!key_stream(key, iv, 0, context->last_ks, context->last_ks, CHACHA_BLOCK)) return fail(context);
    PolyKey made;
    poly1305_key(context->last_ks, &made);
    memcpy(context->poly_key, &made, sizeof(made));
    wipe(context->last_ks, sizeof(context->last_ks));
    context->last_block_count = 1;
    context->aad_len = aad_bytes;
    if (aad_bytes) absorb_padded(made, context->hash, aad, aad_bytes);
    wipe(&made, sizeof(made));
    return true;
}

bool chacha_text(const void *key, Context *context, uint8_t *out, const uint8_t *in, uint64_t bytes, bool opens) {
    PolyKey poly = poly_key(*context);
    bool done = !has_failed(*context);
    context->hash_len += bytes;
    if (done && opens) absorb_ciphertext(poly, context, in, bytes);
    done = done && cipher_text(key, context, out, in, bytes);
    if (done && !opens) absorb_ciphertext(poly, context, out, bytes);
    wipe(&poly, sizeof(poly));
    if (done) return true;
    wipe(out, size_t(bytes));
    return fail(context);
}

bool chacha_end(Context *context, uint8_t *tag, uint64_t tag_bytes) {
    const bool done = !has_failed(*context);
    if (!done) wipe(context, sizeof(*context));  // what follows reads it
    PolyKey key = poly_key(*context);
    uint8_t all[BLOCK];
    absorb_padded(key, context->hash, context->poly_scratch, context->remain_ct_bytes);
    absorb_lengths(key, context->hash, context->aad_len, context->hash_len);
    poly1305_tag(key, context->hash, all);
    if (!done) memset(all, 0, sizeof(all));
    memcpy(tag, all, size_t(std::min<uint64_t>(tag_bytes, BLOCK)));
    wipe(&key, sizeof(key));
    wipe(context, sizeof(*context));
    return done;
}

void chacha_tag(const uint8_t *stream, const uint8_t *aad, uint64_t aad_bytes, const uint8_t *ciphertext,
                uint64_t bytes, uint8_t *tag) {
    PolyKey key;
    uint64_t sum[3] = {};
    poly1305_key(stream, &key);
    if (aad_bytes) absorb_padded(key, sum, aad, aad_bytes);
    if (bytes) absorb_padded(key, sum, ciphertext, bytes);
    absorb_lengths(key, sum, aad_bytes, bytes);
    poly1305_tag(key, sum, tag);
    wipe(&key, sizeof(key));
    wipe(sum, sizeof(sum));
}

void poly1305(const uint8_t *bytes_of_key, const uint8_t *data, uint64_t bytes, uint8_t *tag) {
    PolyKey key;
    uint64_t sum[3] = {};
    poly1305_key(bytes_of_key, &key);
    absorb_blocks(key, sum, data, bytes / BLOCK);
    if (const size_t rest = bytes % BLOCK) {
        uint8_t block[BLOCK] = {};
        memcpy(block, data + bytes - rest, rest);
        block[rest] = 1;  // in the place of the bit that whole blocks have behind them
        sum[2]--;
        absorb_blocks(key, sum, block, 1);
        wipe(block, sizeof(block));
    }
    poly1305_tag(key, sum, tag);
    wipe(&key, sizeof(key));
    wipe(sum, sizeof(sum));
}

namespace {

bool refused(int error) {
    set_error(nullptr, error);
    return error != 0;
}

void begin(const void *key, Context *context, const void *iv, const void *aad, uint64_t aad_bytes) {
    if (refused(!key                ? IMB_ERR_NULL_KEY
                : !context          ? IMB_ERR_NULL_CTX
                : !iv               ? IMB_ERR_NULL_IV
                : aad_bytes && !aad ? IMB_ERR_NULL_AAD
                                    : 0))
        return;
    const ClearRegisters clear(cpu());
    report(chacha_begin(key, context, octets(iv), octets(aad), aad_bytes));
}

template <bool opens>
void text(const void *key, Context *context, void *out, const void *in, uint64_t bytes) {
    if (refused(!key            ? IMB_ERR_NULL_KEY
                : !context      ? IMB_ERR_NULL_CTX
                : bytes && !in  ? IMB_ERR_NULL_SRC
                : bytes && !out ? IMB_ERR_NULL_DST
                                : 0) ||
        !bytes)
        return;
    const ClearRegisters clear(cpu());
    report(chacha_text(key, context, octets(out), octets(in), bytes, opens));
}

void end(Context *context, void *tag, uint64_t tag_bytes) {
    if (refused(!context                          ? IMB_ERR_NULL_CTX
                : !tag                            ? IMB_ERR_NULL_AUTH
                : !tag_bytes || tag_bytes > BLOCK ? IMB_ERR_AUTH_TAG_LEN
                                                  : 0))
        return;
    const ClearRegisters clear(cpu());
    report(chacha_end(context, octets(tag), tag_bytes));
}

}  // namespace

void set_chacha_functions(IMB_MGR *manager) {
    manager->chacha20_poly1305_init = begin;
    manager->chacha20_poly1305_enc_update = text<false>;
    manager->chacha20_poly1305_dec_update = text<true>;
    manager->chacha20_poly1305_finalize = end;
}

}  // namespace cst::imb
