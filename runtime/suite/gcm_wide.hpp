// A GCM message (SP 800-38D, 7) by vectors of four blocks and without a kernel: what stands between two steps stays in registers, and nothing is copied to a state block.
#pragma once

#include "cryptostitch/cryptostitch.h"
#include "key.hpp"

namespace cst {

// What of a message has been done already.
struct GcmBegun {
    uint64_t text = 0;           // bytes that are enciphered and hashed, and the AAD in front of them: whole blocks
    const uint8_t *y = nullptr;  // the hash of these; NULL: of nothing
};

// The job: its IV has 12 bytes, its text lies in one piece. False: it did not authenticate, and what was written must be wiped.
bool gcm_wide(const Key &key, const cst_job &job, const GcmBegun &begun = {});

}  // namespace cst
