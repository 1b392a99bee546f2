// Two digests of the same messages.
#pragma once

#include "../plan/lineup.hpp"
#include "../executors/message.hpp"

namespace cst {

// Runs a class of two digests of the same messages. Returns false if a job did not authenticate. readable: as for
// run_lists.
bool run_both(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable);

// Hashes whole blocks of parts: advances the two states that follow one another at job.tag by job.in_len bytes of
// job.in. Returns how many parts it has done, from the first on: none where no stitched kernel takes less time than the
// two digests one after the other.
size_t run_both_blocks(Memory *memory, cst_job *const *jobs, size_t n);

// Plans the stitched kernel of run_both for n jobs of so many bytes. Returns false if it takes none.
bool plan_both(const Suite &suite, size_t n, uint64_t bytes, Plan *plan);

}  // namespace cst
