#include "poly1305.hpp"

#include <cstring>

#include "../select/upper_halves.hpp"
#include "../suite/secret.hpp"
#include "copy.hpp"

namespace cst {

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
