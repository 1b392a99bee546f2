// Short texts of a cipher alone without a kernel.
#pragma once

#include "../select/upper_halves.hpp"
#include "../suite/aes_narrow.hpp"
#include "../suite/aes_wide.hpp"
#include "../suite/suite.hpp"

namespace cst {

// For longer texts, in bytes, a kernel is as fast, measured on Zen 4.
constexpr uint64_t CIPHER_FEW = 32767;

// Whether that is for texts of so many bytes, in one piece, of a suite's cipher: AES whose blocks do not wait for one another.
inline bool texts_few(const Suite &suite, int direction, uint64_t bytes) {
    if (!(suite.wide || suite.narrow) || suite.forced || bytes - 1 >= CIPHER_FEW) return false;
    const uint32_t kind = suite.encrypt->record.kind;
    return suite.counts() || kind == ALGORITHM_ECB_ENC || (kind == ALGORITHM_CIPHER_ENC && direction == CST_OPEN);
}
// The same of a cipher alone.
inline bool cipher_few(const Suite &suite, int direction, uint64_t bytes) {
    return (suite.construction == Construction::counter || suite.construction == Construction::single) && suite.kind == CST_CIPHER && texts_few(suite, direction, bytes);
}

// Runs the texts of such jobs, of one suite and direction, which are right; no counter carries beyond 32 bits.
inline void run_cipher_few(const Suite &suite, cst_job *jobs, size_t n) {
    const bool counts = suite.counts(), ecb = suite.encrypt->record.kind == ALGORITHM_ECB_ENC;
    if (suite.wide) {
        (counts ? aes_counter_wide : ecb ? aes_ecb_wide : aes_cbc_open_wide)(jobs, n);
    } else {
        if (suite.engine->avx()) clear_upper_halves();
        (counts ? aes_counter_narrow : ecb ? aes_ecb_narrow : aes_cbc_open_narrow)(jobs, n, suite.double_blocks);
    }
}

}  // namespace cst
