// A manager's queue: a ring of jobs that come back in the order of submission.
//
// Jobs are held back until so many wait that a burst of them is worth it (CRYPTOSTITCH_IPSEC_MB_HOLD, 1 to 128; 64), or
// the oldest has seen twice as many submits, or somebody flushes. Held back are only jobs of kinds of which the
// original too may keep some; others are done when submit returns. The queue lies in the manager alone, which holds no
// address but of its functions: a second process that set these anew goes on with it. One thread at a time.
#pragma once

#include "interface.hpp"

namespace cst::imb {

void empty_queue(IMB_MGR *manager);
// Sets get_next_job .. queue_size, and the functions of bursts.
void set_queue_functions(IMB_MGR *manager);

// Runs an array of the caller's CCM jobs. Returns how many are done. checked: as for a queue's burst.
uint32_t run_ccm_array(IMB_MGR *manager, IMB_JOB *jobs, uint32_t n, IMB_CIPHER_DIRECTION direction,
                       IMB_KEY_SIZE_BYTES key_bytes, bool checked);

}  // namespace cst::imb
