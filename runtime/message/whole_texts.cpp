#include "whole_texts.hpp"

namespace cst {

void XtsCalls::run_end(Room *room, const cst_job &job, uint64_t before) {
    const Key &key = key_of(job);
    Ends &ends = room->ends ? *room->ends : room->ends.emplace(*key.suite, room->call.opens);
    alignas(BLOCK) uint8_t tweak[BLOCK];
    ends.blocks.encipher(key.tweak(), static_cast<const uint8_t *>(job.iv), tweak);  // 5.3.1
    advance_tweak(tweak, before / BLOCK, tweak);
    ends.end.run(key, tweak, static_cast<const uint8_t *>(job.in) + before, size_t(job.in_len - before),
                 static_cast<uint8_t *>(job.out) + before);
    wipe(tweak, sizeof(tweak));
}

}  // namespace cst
