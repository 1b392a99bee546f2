// An expanded key.
#pragma once

#include "aes.hpp"
#include "des.hpp"
#include "rc4.hpp"
#include "suite.hpp"

namespace cst {

// Of round keys.
constexpr uint32_t KEY_MOST_ROWS = DES_MOST_ROWS;
static_assert(KEY_MOST_ROWS > AES_MOST_ROUNDS, "AES's fit too");

// Powers of GHASH's key: kernels take MOST_POWERS at most; without one, two strides and the lengths share a reduction (suite/gcm_wide.cpp), which is 33. The rest, so that
// they end where a line of the cache does.
constexpr uint32_t GHASH_POWERS = 36;
static_assert(GHASH_POWERS >= MOST_POWERS, "the last of them");
// A stride of a GCM message: so many vectors by so many lanes.
constexpr uint32_t GCM_WIDE_TEAM = 4, GCM_WIDE_LANES = 4, GCM_WIDE_STRIDE = GCM_WIDE_TEAM * GCM_WIDE_LANES;

struct alignas(64) Key {
    const Suite *suite = nullptr;
    uint8_t encrypt[KEY_MOST_ROWS][16] = {};
    uint8_t decrypt[KEY_MOST_ROWS][16] = {};
    // Chaining values after key ^ ipad and key ^ opad (RFC 2104); for a plain digest `inner` is the initial value.
    uint8_t inner[64] = {}, outer[64] = {};
    // Of GHASH: H^GHASH_POWERS .. H (suite/ghash.hpp).
    alignas(64) uint8_t powers[GHASH_POWERS][16] = {};
    // Of each both halves added up, twice.
    alignas(64) uint8_t folded[GHASH_POWERS][16] = {};
    // H^16, H^12, H^8 and H^4, in each place of a vector of four blocks; then the same of `folded` (suite/gcm_wide.cpp).
    alignas(64) uint8_t lane_powers[GCM_WIDE_TEAM][GCM_WIDE_LANES][16] = {}, lane_folded[GCM_WIDE_TEAM][GCM_WIDE_LANES][16] = {};
    // XTS: the second key, for the tweak.
    uint8_t tweak[AES_MOST_ROUNDS + 1][16] = {};
    // A block cipher's MAC beside a cipher: its round keys.
    uint8_t mac[AES_MOST_ROUNDS + 1][16] = {};
    // CMAC, XCBC: what is added to the last block, when it is whole and when it was filled up.
    uint8_t whole[16] = {}, filled[16] = {};
    // RC4: what every message begins with.
    alignas(16) uint8_t rc4[RC4_STATE] = {};
};

inline const Key &key_of(const cst_job &job) { return *reinterpret_cast<const Key *>(job.key); }
// What a job says when all of its input has become output.
inline void text_done(cst_job *job) {
    job->out_len = job->in_len;
    job->status = CST_OK;
}

}  // namespace cst
