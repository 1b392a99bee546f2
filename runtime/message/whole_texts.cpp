#include "whole_texts.hpp"

namespace cst {

void XtsCalls::run_end(Room *room, const cst_job &job, uint64_t done, const uint8_t *first) {
    const Key &key = key_of(job);
    const KernelCall *const call = room->call.parts.block;
    BlockCalls &blocks = room->blocks ? *room->blocks
                         : call       ? room->blocks.emplace(*call)
                                      : room->blocks.emplace(*key.suite);
    alignas(BLOCK) uint8_t tweak[BLOCK];
    if (!done) blocks.encipher(key.tweak(), static_cast<const uint8_t *>(job.iv), tweak);  // 5.3.1
    else advance_tweak(first, done / BLOCK, tweak);
    const uint8_t *const in = static_cast<const uint8_t *>(job.in) + done;
    uint8_t *const out = static_cast<uint8_t *>(job.out) + done;
    const size_t left = size_t(job.in_len - done);
    if (room->call.opens) {
        StolenEnd &end = room->end ? *room->end : room->end.emplace(*key.suite, true);
        end.run(key, tweak, in, left, out);
    } else {
        exchange_end(&blocks, key, tweak, in, left, out - BLOCK);
    }
    wipe(tweak, sizeof(tweak));
}

}  // namespace cst
