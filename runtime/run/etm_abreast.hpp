// Short messages that are alike, of suites with HMAC: cipher and hash side by side, each straight from the jobs, without an arena.
#pragma once

#include "../suite/key.hpp"

namespace cst {

// Whether that is for n messages of such lengths: no pair kernel would do better, and nothing is forced.
bool etm_abreast_serves(const Suite &suite, int direction, uint64_t bytes, uint64_t aad_bytes, size_t n, bool one_key);
// The stitched kernel for the middle of one that is sealed; NULL: there is none, or none pays.
const Variant *etm_stitched(const Suite &suite, int direction, uint64_t bytes, uint64_t aad_bytes);
// Encrypt-then-MAC, ESP too: runs the burst, checked, whose jobs are alike (check_jobs), if it is such. As run_burst; otherwise, or without a kernel, all stay
// waiting, and so do jobs whose counters carry.
int run_etm_abreast(cst_job *jobs, size_t n);
// The same of TLS records of one length that are sealed (RFC 5246, 6.2.3.2).
void seal_records_abreast(cst_job *jobs, size_t n);

}  // namespace cst
