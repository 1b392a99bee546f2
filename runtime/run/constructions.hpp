// How the messages of a class run, from the way that needs least bookkeeping to the steps of its construction.
#pragma once

#include "lineup.hpp"
#include "message.hpp"

namespace cst {

// Asks for what checked jobs that are run next read, if it is in no cache (fetch.cpp). Nothing where keys were used
// lately, and so are there.
void fetch_cold(const cst_job *jobs, size_t n);

// Messages that are one call each of a kernel, straight from the jobs: what stands between two of their steps stays in
// its registers, and nothing is copied to a state block but pointers.
// Runs jobs of one suite, direction and length if they are such: texts in one piece, of a cipher alone or of GCM (SP
// 800-38D) with an IV of 12 bytes and a short AAD. CST_OK, CST_ERR_AUTH, or JOB_WAITING: they are not, or other kernels
// take less, and nothing has happened.
int run_one_call(cst_job *jobs, size_t n);
// Runs those of at most MOST_MESSAGES jobs, of any lengths, that such kernels take; the others go on waiting. Returns
// false if a job did not authenticate.
bool run_one_calls(cst_job *jobs, size_t n);

// The same of jobs that are best done one after the other on kernels of one lane, in one piece each: a digest, a MAC,
// CBC, encrypt-then-MAC, a TLS record to be sealed.
int run_one_by_one(cst_job *jobs, size_t n);
// The kernel that does the stitched middle of n jobs like this one there; no variant: there is none, or they do not run
// so.
Ranking rank_one_by_one(const Suite &suite, const cst_job &job, size_t n);

// Runs a class (jobs of one suite and direction, the longest first, at most MOST_MESSAGES) as lists of segments, if all
// of it can be and nothing else takes less: a cipher, a MAC, encrypt-then-MAC without padding, or CCM, in one piece.
// CST_OK, CST_ERR_AUTH, or JOB_WAITING: nothing has happened. readable: NULL, or up to there bytes behind an input may
// be read (and do not count).
int run_lists(Memory *memory, cst_job *const *jobs, size_t n, const uint8_t *readable);
// Whether it runs so many messages with AADs of `aad` bytes and texts of `mean` bytes, at most `most`.
bool walks(const Suite &suite, bool opens, size_t n, uint64_t aad, uint64_t mean, uint64_t most, bool one_key);

// What each construction does with the messages of a class (suite.hpp): its steps, in order. Each sets status and
// out_len of all jobs.
void run_cipher_alone(const Class &c);             // compose.cpp
void run_mac_alone(const Class &c);
void run_encrypt_then_mac(const Class &c);
void seal_records(const Class &c);                 // record.cpp
void open_records(const Class &c);
void run_xts(const Class &c);                      // xts.cpp
void run_ccm(const Class &c);                      // compose.cpp
void run_gcm(const Class &c);                      // gcm.cpp
void run_chacha_poly(const Class &c);              // chacha_poly.cpp

}  // namespace cst
