// Short texts of a cipher alone without a kernel.
#pragma once

#include "../suite/aes_wide.hpp"
#include "../suite/suite.hpp"

namespace cst {

// Of longer texts, in bytes, a kernel is worth its state block and the copy of the key: in bursts of many that are alike, of a few, and of unlike ones. As measured on
// Zen 4.
constexpr uint64_t COUNTER_MANY = 1008, CBC_OPEN_MANY = 512, FEW_JOBS = 2048, UNLIKE = 4096;

// Whether that is for texts of so many bytes, in one piece: AES in counter mode, or CBC opened, where there are vectors of four blocks. jobs: how many are alike; 0: the
// burst is of unlike ones.
inline bool cipher_few(const Suite &suite, int direction, uint64_t bytes, size_t jobs) {
    const bool counts = suite.construction == Construction::counter;
    const uint64_t most = jobs == 0 ? UNLIKE : jobs <= 16 ? FEW_JOBS : counts ? COUNTER_MANY : CBC_OPEN_MANY;
    if (!suite.wide || suite.forced || bytes - 1 >= most) return false;
    return counts || (suite.construction == Construction::single && direction == CST_OPEN && suite.encrypt->record.kind == ALGORITHM_CIPHER_ENC);
}

// Runs such jobs, of one suite and direction, which are right; no counter carries beyond 32 bits.
inline void run_cipher_few(const Suite &suite, cst_job *jobs, size_t n) {
    (suite.construction == Construction::counter ? aes_counter_wide : aes_cbc_open_wide)(jobs, n);
    for (size_t i = 0; i < n; i++) {
        jobs[i].out_len = jobs[i].in_len;
        jobs[i].status = CST_OK;
    }
}

}  // namespace cst
