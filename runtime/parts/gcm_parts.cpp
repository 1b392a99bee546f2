#include "gcm_parts.hpp"

#include <algorithm>

#include "../suite/secret.hpp"
#include "../executors/alone.hpp"
#include "ghash_field.hpp"
#include "key_stream.hpp"
#include "../message/constructions.hpp"
#include "../message/gcm_call.hpp"
#include "../message/job_list.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16;
constexpr uint64_t MOST_TEXT = (uint64_t(1) << 36) - 32, MOST_AAD = uint64_t(1) << 60;

const KeyRow *powers_end(const Key &key) { return key.powers() + GHASH_POWERS; }

void add_into(uint8_t *to, const uint8_t *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] ^= from[i];
}

// Multiplies by H after a block whose bytes were added one after the other.
void close_block(const Key &key, uint8_t *hash) {
    static const uint8_t zero[BLOCK] = {};
    ghash(*key.suite, powers_end(key), hash, zero, BLOCK);
}

}  // namespace

void GcmParts::begin(const Key &key, Bytes iv) {
    stage_ = Stage::head;
    usual_iv_ = iv.n == GCM_IV;
    memset(first_, 0, sizeof(first_));
    memset(hash_, 0, sizeof(hash_));
    aad_bytes_ = text_bytes_ = 0;
    if (usual_iv_) {
        memcpy(first_, iv.data, GCM_IV);
        first_[BLOCK - 1] = 1;
        return;
    }
    ghash(*key.suite, powers_end(key), first_, iv.data, iv.n);
    ghash_lengths(*key.suite, powers_end(key), first_, 0, iv.n);
}

bool GcmParts::is_sound() const {
    if (aad_bytes_ > MOST_AAD || text_bytes_ > MOST_TEXT) return false;
    switch (stage_) {
        case Stage::head: return aad_bytes_ <= sizeof(head_) && !text_bytes_;
        case Stage::whole: return aad_bytes_ <= sizeof(head_) && text_bytes_;
        case Stage::pieces: return true;
    }
    return false;
}

bool GcmParts::aad(const Key &key, Bytes data) {
    if (text_bytes_ || stage_ == Stage::whole || data.n > MOST_AAD - aad_bytes_) return false;
    if (stage_ == Stage::head) {
        if (usual_iv_ && data.n <= sizeof(head_) - aad_bytes_) {
            memcpy(head_ + aad_bytes_, data.data, data.n);
            aad_bytes_ += data.n;
            return true;
        }
        begin_pieces(key);
    }
    const size_t at = size_t(aad_bytes_ % BLOCK);
    aad_bytes_ += data.n;
    if (at) {
        const size_t n = std::min(data.n, BLOCK - at);
        add_into(hash_ + at, data.data, n);
        if (at + n < BLOCK) return true;
        close_block(key, hash_);
        data = {data.data + n, data.n - n};
    }
    const size_t rest = data.n % BLOCK;
    ghash(*key.suite, powers_end(key), hash_, data.data, data.n - rest);
    add_into(hash_, data.data + data.n - rest, rest);
    return true;
}

// Hashes what was held back.
void GcmParts::begin_pieces(const Key &key) {
    stage_ = Stage::pieces;
    memcpy(counter_, first_, BLOCK);
    BlockCalls(*key.suite).encipher(key.encrypt(), first_, mask_);
    count_on(counter_, 1);
    const size_t rest = size_t(aad_bytes_ % BLOCK), whole = size_t(aad_bytes_ - rest);
    ghash(*key.suite, powers_end(key), hash_, head_, whole);
    add_into(hash_, head_ + whole, rest);
}

bool GcmParts::text(const Key &key, const Suite *ctr, Bytes in, uint8_t *out, bool opens) {
    if (in.n > MOST_TEXT - text_bytes_) return false;
    if (!in.n) return true;
    if (stage_ == Stage::head) {
        if (usual_iv_ && whole_text(key, in, out, opens)) return true;
        begin_pieces(key);
    }
    if (stage_ == Stage::whole) take_back_tag(key);
    if (!text_bytes_ && aad_bytes_ % BLOCK) close_block(key, hash_);
    const auto go_on = [&](size_t n) {
        text_bytes_ += n;
        in = {in.data + n, in.n - n};
        out += n;
    };
    if (text_bytes_ % BLOCK) go_on(part_of_block(key, in, out, opens));
    while (in.n >= BLOCK) {  // where the 32 bits of the counter are used up, a kernel's could carry
        const uint64_t left = (uint64_t(1) << 32) - counter_word(counter_);
        const size_t some = size_t(std::min<uint64_t>(in.n / BLOCK, left) * BLOCK);
        if (!blocks(key, ctr, {in.data, some}, out, opens)) return false;
        go_on(some);
    }
    if (!in.n) return true;
    next_key_stream(key);
    go_on(part_of_block(key, in, out, opens));
    return true;
}

bool GcmParts::whole_text(const Key &key, Bytes in, uint8_t *out, bool opens) {
    KernelCall spare;
    const KernelCall *kernel = whole_call(*key.suite, opens, aad_bytes_, in.n, &spare);
    if (!kernel) return false;
    text_bytes_ = in.n;
    stage_ = Stage::whole;
    if (kernel->place.is_listed && listed_text(key, *kernel, in, out, opens)) return true;
    kernel = without_list(kernel);
    CallRoom room(*kernel);
    GcmCall call(&room, in.n);
    const KeyRow *const end = powers_end(key);
    call.run({key.encrypt(), end, first_, {head_, size_t(aad_bytes_)}, in.data, out, in.n, aad_bytes_, in.n},
             end - call.end_blocks() - 1, hash_);
    return true;
}

bool GcmParts::listed_text(const Key &key, const KernelCall &kernel, Bytes in, uint8_t *out, bool opens) {
    cst_job job, *const list = &job;
    new_job(&job, key, opens ? CST_OPEN : CST_SEAL);
    job.iv = first_;
    job.iv_len = GCM_IV;
    job.aad = head_;
    job.aad_len = size_t(aad_bytes_);
    job.in = in.data;
    job.in_len = in.n;
    job.out = out;
    job.tag = hash_;
    if (!ListTakes(kernel, job)(job)) return false;
    make_tags(kernel, &list, 1);
    return true;
}

// The tag is (Y + lengths) H + mask, where Y is GHASH behind the text. If that ended within a block, Y was multiplied
// once too often.
void GcmParts::take_back_tag(const Key &key) {
    const Suite &suite = *key.suite;
    stage_ = Stage::pieces;
    memcpy(counter_, first_, BLOCK);
    BlockCalls(suite).encipher(key.encrypt(), first_, mask_);
    count_on(counter_, 1 + text_bytes_ / BLOCK);
    uint8_t h[BLOCK] = {}, lengths[BLOCK];
    BlockCalls(suite).encipher(key.encrypt(), h, h);
    invert(suite, h);
    add_into(hash_, mask_, BLOCK);
    multiply(suite, hash_, h);
    put_words(lengths, __builtin_bswap64(8 * aad_bytes_), __builtin_bswap64(8 * text_bytes_));
    add_into(hash_, lengths, BLOCK);
    if (text_bytes_ % BLOCK) {
        multiply(suite, hash_, h);
        next_key_stream(key);
    }
    wipe(h, sizeof(h));
}

void GcmParts::next_key_stream(const Key &key) {
    BlockCalls(*key.suite).encipher(key.encrypt(), counter_, stream_);
    count_on(counter_, 1);
}

// Bytes of a block that was begun, or is: as many as there is room for.
size_t GcmParts::part_of_block(const Key &key, Bytes in, uint8_t *out, bool opens) {
    const size_t at = size_t(text_bytes_ % BLOCK), n = std::min(in.n, BLOCK - at);
    for (size_t i = 0; i < n; i++) {
        const uint8_t from = in.data[i], to = from ^ stream_[at + i];
        hash_[at + i] ^= opens ? from : to;
        out[i] = to;
    }
    if (at + n == BLOCK) close_block(key, hash_);
    return n;
}

// Processes whole blocks, within which the counter does not carry.
bool GcmParts::blocks(const Key &key, const Suite *ctr, Bytes in, uint8_t *out, bool opens) {
    if (in.n > BLOCK && further_call(key, in, out, opens)) return true;
    return apart(key, ctr, in, out, opens);
}

bool GcmParts::further_call(const Key &key, Bytes in, uint8_t *out, bool opens) {
    KernelCall spare;
    const KernelCall *const kernel = without_list(whole_call(*key.suite, opens, BLOCK, in.n - BLOCK, &spare));
    if (!kernel) return false;
    uint8_t first[BLOCK], head[BLOCK];
    BlockCalls(*key.suite).encipher(key.encrypt(), counter_, first);
    for (size_t i = 0; i < BLOCK; i++) {
        const uint8_t from = in.data[i], to = from ^ first[i];
        head[i] = hash_[i] ^ (opens ? from : to);
        out[i] = to;
    }
    {
        // The hash after the text, masked with the encrypted block: all powers of H are one less, and lengths of 0 add
        // nothing.
        CallRoom room(*kernel);
        GcmCall call(&room, in.n - BLOCK);
        const KeyRow *const end = powers_end(key);
        call.run({key.encrypt(), end, counter_, {head, BLOCK}, in.data + BLOCK, out + BLOCK, in.n - BLOCK, 0, 0},
                 end - call.end_blocks(), hash_);
    }
    add_into(hash_, first, BLOCK);
    count_on(counter_, in.n / BLOCK);
    wipe(first, sizeof(first));
    wipe(head, sizeof(head));
    return true;
}

// Cipher and hash one after the other, so much at a time that it is still in the cache.
bool GcmParts::apart(const Key &key, const Suite *ctr, Bytes in, uint8_t *out, bool opens) {
    constexpr size_t MOST = 8192;
    if (in.n == BLOCK) {
        next_key_stream(key);
        part_of_block(key, in, out, opens);
        return true;
    }
    while (in.n) {
        const size_t some = std::min(in.n, MOST);
        if (opens) ghash(*key.suite, powers_end(key), hash_, in.data, some);
        if (add_key_stream(ctr, key.encrypt(), counter_, {in.data, some}, out)) return false;
        if (!opens) ghash(*key.suite, powers_end(key), hash_, out, some);
        count_on(counter_, some / BLOCK);
        in = {in.data + some, in.n - some};
        out += some;
    }
    return true;
}

void GcmParts::tag(const Key &key, uint8_t *to) {
    if (stage_ == Stage::head) begin_pieces(key);
    if (stage_ == Stage::pieces) {
        if (text_bytes_ ? text_bytes_ % BLOCK : aad_bytes_ % BLOCK) close_block(key, hash_);
        ghash_lengths(*key.suite, powers_end(key), hash_, aad_bytes_, text_bytes_);
        add_into(hash_, mask_, BLOCK);
    }
    memcpy(to, hash_, BLOCK);
    wipe(mask_, sizeof(mask_));
    wipe(stream_, sizeof(stream_));
}

}  // namespace cst
