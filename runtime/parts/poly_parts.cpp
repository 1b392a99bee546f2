#include "poly_parts.hpp"

#include <algorithm>
#include <cstring>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "../executors/alone.hpp"
#include "../executors/copy.hpp"
#include "../plan/lineup.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = PolyParts::BLOCK;
constexpr size_t MANY = 512;  // bytes that are worth powers of r

}  // namespace

void PolyParts::begin(const uint8_t *bytes) {
    poly1305_key(bytes, &key_);
    memset(sum_, 0, sizeof(sum_));
    waiting_ = 0;
}

void PolyParts::add(const Suite &suite, const uint8_t *data, size_t n) {
    if (waiting_) {
        const size_t some = std::min(n, BLOCK - waiting_);
        memcpy(rest_ + waiting_, data, some);
        waiting_ += some;
        if (waiting_ < BLOCK) return;
        blocks(suite, rest_, BLOCK);
        data += some;
        n -= some;
    }
    waiting_ = n % BLOCK;
    blocks(suite, data, n - waiting_);
    if (waiting_) memcpy(rest_, data + n - waiting_, waiting_);
}

void PolyParts::fill(const Suite &suite) {
    static const uint8_t zero[BLOCK] = {};
    if (waiting_) add(suite, zero, BLOCK - waiting_);
}

void PolyParts::end(const Suite &suite, uint64_t aad_bytes, uint64_t text_bytes, uint8_t *tag) {
    uint8_t lengths[BLOCK];
    put_words(lengths, aad_bytes, text_bytes);
    fill(suite);
    blocks(suite, lengths, BLOCK);
    make_tag(tag);
}

void PolyParts::end(const Suite &suite, uint8_t *tag) {
    if (waiting_) {
        memset(rest_ + waiting_, 0, BLOCK - waiting_);
        rest_[waiting_] = 1;  // in the place of the bit that whole blocks have behind them
        sum_[2]--;
        blocks(suite, rest_, BLOCK);
    }
    make_tag(tag);
}

void PolyParts::make_tag(uint8_t *tag) {
    poly1305_tag(key_, sum_, tag);
    wipe(&key_, sizeof(key_));
    wipe(sum_, sizeof(sum_));
    wipe(rest_, sizeof(rest_));
}

void PolyParts::blocks(const Suite &suite, const uint8_t *data, size_t n) {
    const size_t done = n >= MANY ? many_blocks(suite, data, n) : 0;
    poly1305_blocks(*suite.engine, suite.hashes, key_, sum_, data + done, (n - done) / BLOCK);
}

// Hashes as many bytes as fill the iterations of a kernel of one message that takes powers of r. Returns their number.
size_t PolyParts::many_blocks(const Suite &suite, const uint8_t *data, size_t n) {
    constexpr size_t STATE_ROOM = 2048, ALIGNED = 64;
    const Need need = {&suite.hashes, 1, n, n};
    const Variant *const v = line_up(suite, need).variant;
    if (!v || v->lanes != 1 || v->hash.key_form == KEY_R || v->state_bytes > STATE_ROOM || v->state_align > ALIGNED ||
        n >> v->step_log2 <= v->lag)
        return 0;
    alignas(ALIGNED) uint8_t state[STATE_ROOM], powers[POLY_MOST_ROWS * BLOCK];
    const Part &part = v->hash;
    const LanePlace &lane = part.lanes[0];
    poly1305_powers(key_, part.key_form, powers);
    const auto put_powers = [&](uint32_t at) {
        for (uint32_t i = 0; i < part.key_rows; i++)
            memcpy(state + at + i * part.key_row_bytes, powers + i * BLOCK, BLOCK);
    };
    for (const uint32_t copy : part.key_copies) put_powers(copy);
    if (lane.key != NO_FIELD) put_powers(lane.key);
    for (uint32_t i = 0; i < 3; i++) memcpy(state + lane.chain + i * part.chain_row_bytes, sum_ + i, sizeof(uint64_t));
    put_pointer(state + lane.in, data);
    if (v->legacy_sse && suite.engine->avx()) clear_upper_halves();
    const cst_kernel_args args = {n >> v->step_log2, {state + v->state_offset[0]}};
    v->kernel.load(std::memory_order_acquire)->fn(&args);
    for (uint32_t i = 0; i < 3; i++) memcpy(sum_ + i, state + lane.chain + i * part.chain_row_bytes, sizeof(uint64_t));
    v->calls.add(1);
    wipe(state, v->state_bytes);
    wipe(powers, sizeof(powers));
    return size_t(args.iterations << v->step_log2);
}

}  // namespace cst
