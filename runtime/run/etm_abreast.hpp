// Short messages that are alike, of suites with HMAC: cipher and hash side by side, each straight from the jobs, without an arena.
#pragma once

#include "../suite/key.hpp"

namespace cst {

// Encrypt-then-MAC, ESP too: runs the burst, checked, whose jobs are alike (check_jobs), if it is such and no pair kernel would do better. As run_burst; otherwise, or without a kernel, all stay
// waiting, and so do jobs whose counters carry.
int run_etm_abreast(cst_job *jobs, size_t n);
// The same of TLS records of one length that are sealed (RFC 5246, 6.2.3.2).
void seal_records_abreast(cst_job *jobs, size_t n);

}  // namespace cst
