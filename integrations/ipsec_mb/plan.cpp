#include "plan.hpp"

#include <atomic>
#include <new>

#include "message/mac.hpp"

namespace cst::imb {
namespace {

Mac mac_of(IMB_HASH_ALG hash) {
    switch (hash) {
        case IMB_AUTH_HMAC_SHA_1: return Mac::hmac_sha1;
        case IMB_AUTH_HMAC_SHA_224: return Mac::hmac_sha224;
        case IMB_AUTH_HMAC_SHA_256: return Mac::hmac_sha256;
        case IMB_AUTH_HMAC_SHA_384: return Mac::hmac_sha384;
        case IMB_AUTH_HMAC_SHA_512: return Mac::hmac_sha512;
        case IMB_AUTH_MD5: return Mac::hmac_md5;
        case IMB_AUTH_SHA_1: return Mac::sha1;
        case IMB_AUTH_SHA_224: return Mac::sha224;
        case IMB_AUTH_SHA_256: return Mac::sha256;
        case IMB_AUTH_SHA_384: return Mac::sha384;
        case IMB_AUTH_SHA_512: return Mac::sha512;
        case IMB_AUTH_AES_XCBC: return Mac::xcbc;
        case IMB_AUTH_AES_CMAC:
        case IMB_AUTH_AES_CMAC_BITLEN: return Mac::cmac_128;
        case IMB_AUTH_AES_CMAC_256: return Mac::cmac_256;
        default: return Mac::NUMBER;
    }
}

// Ciphers that take a hash of any kind beside them.
Cipher plain_cipher(IMB_CIPHER_MODE mode) {
    switch (mode) {
        case IMB_CIPHER_CBC: return Cipher::cbc;
        case IMB_CIPHER_CNTR: return Cipher::ctr;
        case IMB_CIPHER_ECB: return Cipher::ecb;
        case IMB_CIPHER_CHACHA20: return Cipher::chacha20;
        default: return Cipher::NUMBER;
    }
}

Plan of_kind(Kind kind, bool at_once) {
    Plan plan;
    plan.kind = kind;
    plan.at_once = at_once;
    return plan;
}

Plan one_of_both(IMB_CIPHER_MODE mode, IMB_CIPHER_MODE wanted_mode, IMB_HASH_ALG hash, IMB_HASH_ALG wanted_hash,
                 Plan plan) {
    return mode == wanted_mode && hash == wanted_hash ? plan : of_kind(Kind::impossible, true);
}

// Plans a mode that ciphers and authenticates; impossible: neither mode names one.
Plan aead(const IMB_JOB &job) {
    const IMB_CIPHER_MODE mode = job.cipher_mode;
    const IMB_HASH_ALG hash = job.hash_alg;
    Plan plan = of_kind(Kind::impossible, true);
    if (mode == IMB_CIPHER_GCM || hash == IMB_AUTH_AES_GMAC) {
        plan.kind = Kind::gcm;
        plan.decrypts = !seals(job);
        plan.mac = cipher_suite(Cipher::gcm, job.key_len_in_bytes);
        plan.cipher = cipher_suite(Cipher::ctr, job.key_len_in_bytes);
        return one_of_both(mode, IMB_CIPHER_GCM, hash, IMB_AUTH_AES_GMAC, plan);
    }
    if (mode == IMB_CIPHER_GCM_SGL || hash == IMB_AUTH_GCM_SGL) {
        plan.kind = Kind::gcm_segments;
        plan.cipher = cipher_suite(Cipher::ctr, job.key_len_in_bytes);
        return one_of_both(mode, IMB_CIPHER_GCM_SGL, hash, IMB_AUTH_GCM_SGL, plan);
    }
    if (mode == IMB_CIPHER_CCM || hash == IMB_AUTH_AES_CCM) {
        plan = of_kind(Kind::ccm, false);
        const bool opens = !seals(job);
        plan.cipher = cipher_suite(opens ? Cipher::ctr : Cipher::ccm, job.key_len_in_bytes);
        plan.mac = !opens ? plan.cipher : mac_suite(job.key_len_in_bytes == 16 ? Mac::cmac_128 : Mac::cmac_256);
        if (job.key_len_in_bytes == 24) plan.mac = nullptr;
        return one_of_both(mode, IMB_CIPHER_CCM, hash, IMB_AUTH_AES_CCM, plan);
    }
    if (mode == IMB_CIPHER_CHACHA20_POLY1305 || hash == IMB_AUTH_CHACHA20_POLY1305) {
        plan.kind = Kind::chacha_poly;
        plan.cipher = cipher_suite(Cipher::chacha20, 0);
        plan.mac = cipher_suite(Cipher::chacha20_poly1305, 0);
        return one_of_both(mode, IMB_CIPHER_CHACHA20_POLY1305, hash, IMB_AUTH_CHACHA20_POLY1305, plan);
    }
    if (mode == IMB_CIPHER_CHACHA20_POLY1305_SGL || hash == IMB_AUTH_CHACHA20_POLY1305_SGL) {
        plan.kind = Kind::chacha_segments;
        plan.cipher = cipher_suite(Cipher::chacha20, 0);
        return one_of_both(mode, IMB_CIPHER_CHACHA20_POLY1305_SGL, hash, IMB_AUTH_CHACHA20_POLY1305_SGL, plan);
    }
    return plan;
}

bool names_aead(const IMB_JOB &job) {
    switch (job.cipher_mode) {
        case IMB_CIPHER_GCM:
        case IMB_CIPHER_GCM_SGL:
        case IMB_CIPHER_CCM:
        case IMB_CIPHER_CHACHA20_POLY1305:
        case IMB_CIPHER_CHACHA20_POLY1305_SGL: return true;
        default: break;
    }
    switch (job.hash_alg) {
        case IMB_AUTH_AES_GMAC:
        case IMB_AUTH_GCM_SGL:
        case IMB_AUTH_AES_CCM:
        case IMB_AUTH_CHACHA20_POLY1305:
        case IMB_AUTH_CHACHA20_POLY1305_SGL: return true;
        default: return false;
    }
}

// Hashes that run by themselves. Their keys are this library's, but Poly1305's.
bool runs_by_itself(IMB_HASH_ALG hash) {
    switch (hash) {
        case IMB_AUTH_AES_GMAC_128:
        case IMB_AUTH_AES_GMAC_192:
        case IMB_AUTH_AES_GMAC_256:
        case IMB_AUTH_GHASH:
        case IMB_AUTH_POLY1305: return true;
        default: return false;
    }
}

// impossible: the suite of GCM is not there.
Plan lone_hash(const IMB_JOB &job) {
    Plan plan = of_kind(Kind::impossible, true);
    switch (job.hash_alg) {
        case IMB_AUTH_AES_GMAC_128: plan.mac = cipher_suite(Cipher::gcm, 16); break;
        case IMB_AUTH_AES_GMAC_192: plan.mac = cipher_suite(Cipher::gcm, 24); break;
        case IMB_AUTH_AES_GMAC_256: plan.mac = cipher_suite(Cipher::gcm, 32); break;
        case IMB_AUTH_GHASH: plan.kind = Kind::ghash; return plan;
        case IMB_AUTH_POLY1305: plan.kind = Kind::poly1305; return plan;
        default: return plan;
    }
    if (plan.mac) plan.kind = Kind::gmac;
    return plan;
}

// Plans a job whose modes the interface has.
Plan make_plan(const IMB_JOB &job) {
    if (job.cipher_mode == IMB_CIPHER_CUSTOM || job.hash_alg == IMB_AUTH_CUSTOM)
        return of_kind(names_aead(job) ? Kind::impossible : Kind::apart, true);
    if (names_aead(job)) {
        const Plan plan = aead(job);
        const bool suites =
            plan.cipher && (plan.mac || plan.kind == Kind::gcm_segments || plan.kind == Kind::chacha_segments);
        if (suites || plan.kind == Kind::impossible) return plan;
        // Expanded keys and contexts of GCM are this library's, and mean nothing to the original.
        const bool own_keys = plan.kind == Kind::gcm || plan.kind == Kind::gcm_segments;
        return of_kind(own_keys ? Kind::impossible : Kind::real, true);
    }
    const bool ciphers = job.cipher_mode != IMB_CIPHER_NULL, hashes = job.hash_alg != IMB_AUTH_NULL;
    if (runs_by_itself(job.hash_alg)) return ciphers ? of_kind(Kind::apart, true) : lone_hash(job);
    if (!ciphers && !hashes) return of_kind(Kind::none, true);
    Plan plan = of_kind(Kind::composed, false);
    const Cipher cipher = plain_cipher(job.cipher_mode);
    if (ciphers && cipher != Cipher::NUMBER) plan.cipher = cipher_suite(cipher, job.key_len_in_bytes);
    plan.mac_name = mac_of(job.hash_alg);
    if (plan.mac_name != Mac::NUMBER) plan.mac = mac_suite(plan.mac_name);
    if ((ciphers && !plan.cipher) || (hashes && !plan.mac)) return of_kind(Kind::real, true);
    if (ciphers && hashes && seals(job) && number_of(job.chain_order) == IMB_ORDER_CIPHER_HASH)
        plan.stitched = stitched_suite(cipher, job.key_len_in_bytes, plan.mac_name);
    plan.usual = (cipher == Cipher::cbc || cipher == Cipher::ctr) && size_t(plan.mac_name) < HMACS;
    plan.decrypts = ciphers && !seals(job) && plan.cipher->decrypt != plan.cipher->encrypt;
    plan.in_bits = job.hash_alg == IMB_AUTH_AES_CMAC_BITLEN;
    if (ciphers) plan.block_mask = plan.cipher->block_bytes - 1;
    if (plan.stitched)
        while (fits_whole(*plan.stitched, 0, plan.stitched_most + 1)) plan.stitched_most++;
    plan.at_once = !hashes && !(cipher == Cipher::cbc && seals(job));
    return plan;
}

// AES's, and any other.
constexpr size_t KEY_LENGTHS = 4;
size_t key_index(uint64_t bytes) { return bytes == 16 || bytes == 24 || bytes == 32 ? size_t(bytes / 8 - 1) : 0; }

}  // namespace

const Plan &find_plan(const IMB_JOB &job) {
    static std::atomic<const Plan *> plans[IMB_CIPHER_NUM][IMB_AUTH_NUM][2][2][KEY_LENGTHS];
    static constexpr Plan impossible = {Kind::impossible, nullptr, nullptr, nullptr, Mac::NUMBER, true};
    const unsigned mode = number_of(job.cipher_mode), hash = number_of(job.hash_alg);
    if (!mode || mode >= IMB_CIPHER_NUM || !hash || hash >= IMB_AUTH_NUM) return impossible;
    std::atomic<const Plan *> &place =
        plans[mode][hash][seals(job)][number_of(job.chain_order) == IMB_ORDER_CIPHER_HASH]
             [key_index(job.key_len_in_bytes)];
    const Plan *known = place.load(std::memory_order_acquire);
    if (known) return *known;
    ran_out_of_memory() = false;
    const Plan planned = make_plan(job);
    const Plan *const made = ran_out_of_memory() ? nullptr : new (std::nothrow) Plan(planned);
    if (!made) return impossible;  // this time
    if (place.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return *made;
    delete made;
    return *known;
}

}  // namespace cst::imb
