#include "../suite/key.hpp"
#include "alone.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = AES_BLOCK;

class GhashCall : public MessageCalls {
public:
    using MessageCalls::MessageCalls;

    void run(const uint8_t (*powers_end)[16], uint8_t *y, const void *data, uint64_t bytes) {
        set_length(bytes);
        memcpy(state_ + place_.chain, y, BLOCK);
        point(place_.powers, powers_end - step_ / BLOCK);
        point(place_.end_powers, powers_end - blocks_of(end_));
        call(data, nullptr);
        memcpy(y, state_ + place_.chain, BLOCK);
    }
};

}  // namespace

BlockCalls::BlockCalls(const Suite &suite)
    : part_(suite, *line_up_whole(suite, suite.blocks, 1, AES_BLOCK)), call_(&part_.room) {}

BlockCalls::~BlockCalls() { part_.kernel.variant->calls.add(n_); }

void BlockCalls::encipher(const uint8_t (*round_keys)[16], const uint8_t *in, uint8_t *out) {
    call_.run(round_keys, in, out);
    n_++;
}

OneLane::OneLane(const Engine &engine, const Variant &v)
    : v_(v),
      place_(v.cipher.lanes[0]),
      clears_(v.legacy_sse && engine.avx()),
      fn_(v.kernel.load(std::memory_order_acquire)->fn) {
    args_.state[0] = state_ + v.state_offset[0];
}

OneLane::~OneLane() {
    wipe(state_, v_.state_bytes);
    v_.calls.add(n_);
}

void OneLane::call() {
    if (clears_) clear_upper_halves();
    fn_(&args_);
    n_++;
}

void KeySchedule::expand(const uint8_t *key, uint8_t (*round_keys)[16]) {
    memset(state_ + place_.key, 0, (record_.key_bytes + BLOCK - 1) / BLOCK * BLOCK);
    memcpy(state_ + place_.key, key, record_.key_bytes);
    call();
    memcpy(round_keys, state_ + place_.chain, (record_.rounds + 1) * BLOCK);
}

void OneBlock::set_key(const uint8_t (*round_keys)[16]) {
    for (uint32_t i = 0; i < rows_; i++)
        memcpy(state_ + place_.key + i * v_.cipher.key_row_bytes, round_keys[i], BLOCK);
}

void OneBlock::run(const uint8_t *chain, const uint8_t *in, uint8_t *out) {
    memcpy(state_ + place_.chain, chain, BLOCK);
    put_pointer(state_ + place_.in, in);
    put_pointer(state_ + place_.out, out);
    call();
}

void CounterBlocks::encipher(const uint8_t (*round_keys)[16], const uint8_t *in, uint8_t *out) {
    static constexpr uint8_t zeros[BLOCK] = {};
    set_key(round_keys);
    run(in, zeros, out);
}

void ghash(const Suite &suite, const uint8_t (*powers_end)[16], uint8_t *y, const void *data, uint64_t bytes) {
    if (!bytes) return;
    const Variant &v = *line_up_whole(suite, suite.whole_hashes, 1, bytes);
    PartRoom part(suite, v);
    GhashCall(&part.room).run(powers_end, y, data, bytes);
    v.calls.add(1);
}

void ghash_lengths(const Suite &suite, const uint8_t (*powers_end)[16], uint8_t *y, uint64_t aad, uint64_t text) {
    alignas(16) uint8_t lengths[16];
    put_words(lengths, __builtin_bswap64(8 * aad), __builtin_bswap64(8 * text));
    ghash(suite, powers_end, y, lengths, sizeof(lengths));
}

void hash_iv(const cst_job &job, uint8_t *counter) {
    const Key &key = key_of(job);
    const KeyRow *const powers_end = key.powers() + GHASH_POWERS;
    put_zeros(counter);
    ghash(*key.suite, powers_end, counter, job.iv, job.iv_len);
    ghash_lengths(*key.suite, powers_end, counter, 0, job.iv_len);
}

void poly1305_blocks(const Engine &engine, const Family &kernels, const PolyKey &key, uint64_t *accumulator,
                     const uint8_t *in, uint64_t blocks) {
    if (!blocks) return;
    const Variant &v = *poly1305_alone(kernels);
    if (v.legacy_sse && engine.avx()) clear_upper_halves();
    alignas(64) uint8_t state[POLY1305_ALONE_STATE];
    for (const LanePlace &place : v.hash.lanes) {  // all lanes compute the same
        for (uint32_t i = 0; i < 3; i++)
            memcpy(state + place.chain + i * v.hash.chain_row_bytes, accumulator + i, sizeof(uint64_t));
        memcpy(state + place.key, key.r, sizeof(key.r));
        put_pointer(state + place.in, in);
    }
    cst_kernel_args args = {blocks, {state + v.state_offset[0]}};
    v.kernel.load(std::memory_order_acquire)->fn(&args);
    v.calls.add(1);
    for (uint32_t i = 0; i < 3; i++)
        memcpy(accumulator + i, state + v.hash.lanes[0].chain + i * v.hash.chain_row_bytes, sizeof(uint64_t));
    wipe(state, v.state_bytes);
}

}  // namespace cst
