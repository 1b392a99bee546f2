#include "alone.hpp"

namespace cst {
namespace {

class GhashCall : public Calls {
public:
    GhashCall(const Engine &engine, const Variant &v, uint64_t bytes) : Calls(engine, v, bytes) {}

    void run(const uint8_t (*powers_end)[16], uint8_t *y, const void *data) {
        memcpy(state_ + place_.chain, y, BLOCK);
        point(place_.powers, powers_end - v_.step / BLOCK);
        point(place_.end_powers, powers_end - blocks_of(end_));
        call(data, nullptr);
        memcpy(y, state_ + place_.chain, BLOCK);
    }
};

}  // namespace

void ghash(const Suite &suite, const uint8_t (*powers_end)[16], uint8_t *y, const void *data, uint64_t bytes) {
    if (!bytes) return;
    const Variant &v = *line_up_whole(suite, suite.whole_hashes, 1, bytes);
    GhashCall(*suite.engine, v, bytes).run(powers_end, y, data);
    v.calls.add(1);
}

void ghash_lengths(const Suite &suite, const uint8_t (*powers_end)[16], uint8_t *y, uint64_t aad, uint64_t text) {
    alignas(16) uint8_t lengths[16];
    put_words(lengths, __builtin_bswap64(8 * aad), __builtin_bswap64(8 * text));
    ghash(suite, powers_end, y, lengths, sizeof(lengths));
}

void poly1305_blocks(const Engine &engine, const Family &kernels, const PolyKey &key, uint64_t *accumulator,
                     const uint8_t *in, uint64_t blocks) {
    constexpr size_t STATE_ROOM = 512;
    const Variant *least = nullptr;
    for (const Variant *v : kernels.variants)
        if (v->hash.key_rows == POLY_ABREAST_ROWS && v->runnable && (!least || v->lanes < least->lanes)) least = v;
    const Kernel *kernel;
    if (!blocks || least->state_bytes > STATE_ROOM || engine.fetch(*least, &kernel)) return;
    if (least->legacy_sse && engine.avx()) clear_upper_halves();
    alignas(64) uint8_t state[STATE_ROOM];
    for (const LanePlace &place : least->hash.lanes) {  // the same in each
        for (uint32_t i = 0; i < 3; i++)
            memcpy(state + place.chain + i * least->hash.chain_row_bytes, accumulator + i, sizeof(uint64_t));
        memcpy(state + place.key, key.r, sizeof(key.r));
        put_pointer(state + place.in, in);
    }
    cst_kernel_args args = {blocks, {state + least->state_offset[0]}};
    kernel->fn(&args);
    for (uint32_t i = 0; i < 3; i++)
        memcpy(accumulator + i, state + least->hash.lanes[0].chain + i * least->hash.chain_row_bytes, sizeof(uint64_t));
    wipe(state, least->state_bytes);
}

}  // namespace cst
