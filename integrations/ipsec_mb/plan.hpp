// Says what a job asks for, by its modes and key length alone; reads none of its buffers.
#pragma once

#include "library.hpp"

namespace cst::imb {

enum class Kind : uint8_t {
    none,             // neither cipher nor hash
    composed,         // a cipher, a MAC, or both, one after the other
    gcm,              // SP 800-38D; with a text of no bytes GMAC
    gcm_segments,     // the same in steps that share a context
    gmac,             // GMAC as a hash, with a key of its own
    ghash,
    ccm,              // SP 800-38C
    chacha_poly,      // RFC 8439
    chacha_segments,
    poly1305,         // with a key for each message
    apart,            // cipher and hash as two jobs: one is the caller's own function, or the hash runs alone
    real,             // for the original library
    impossible        // modes that do not go together, or a key of another length
};

struct Plan {
    Kind kind = Kind::impossible;
    const Suite *cipher = nullptr;
    const Suite *mac = nullptr;
    const Suite *stitched = nullptr;  // for sealing, where cipher and MAC go together
    Mac mac_name = Mac::NUMBER;
    uint64_t stitched_most = 0;  // bytes under the MAC of a message that stitched takes whole
    // A cipher with an IV of its block, and an HMAC: surely_right_hmac looks at such jobs.
    bool usual = false;
    bool decrypts = false;     // the cipher's keys are dec_keys
    bool in_bits = false;      // the MAC's length
    uint64_t block_mask = 0;   // of the cipher
    // The original has such a job done when submit returns, so its callers may rely on that.
    bool at_once = false;
};

// Made on first use, and kept: of each kind of job one.
const Plan &find_plan(const IMB_JOB &job);

// Returns the same from a cache of the last job's kind.
inline const Plan &plan_of(const IMB_JOB &job) {
    struct Last {
        unsigned mode, direction, hash, order;
        uint64_t key_bytes;
        const Plan *plan;
    };
    static thread_local Last last = {};
    // Each is loaded by itself: one load of all four would wait until the caller's four stores are in the cache.
    const unsigned mode = number_of(job.cipher_mode), direction = number_of(job.cipher_direction),
                   hash = number_of(job.hash_alg), order = number_of(job.chain_order);
    if (last.plan && !((mode ^ last.mode) | (direction ^ last.direction) | (hash ^ last.hash) | (order ^ last.order)) &&
        job.key_len_in_bytes == last.key_bytes)
        return *last.plan;
    const Plan &plan = find_plan(job);
    last = {mode, direction, hash, order, job.key_len_in_bytes, plan.kind == Kind::impossible ? nullptr : &plan};
    return plan;
}

// Whether such jobs run one by one, with nothing to gain from others.
inline bool runs_alone(Kind kind) {
    switch (kind) {
        case Kind::none:
        case Kind::gcm:
        case Kind::gcm_segments:
        case Kind::gmac:
        case Kind::ghash:
        case Kind::chacha_segments:
        case Kind::poly1305: return true;
        default: return false;
    }
}

inline bool seals(const IMB_JOB &job) { return number_of(job.cipher_direction) == IMB_DIR_ENCRYPT; }
inline bool has_direction(const IMB_JOB &job) {
    return seals(job) || number_of(job.cipher_direction) == IMB_DIR_DECRYPT;
}

}  // namespace cst::imb
