// What all uses of intel-ipsec-mb share: expanded keys, the job queue.
#pragma once

#include "../pages.hpp"
#include "../peer.hpp"

#include <intel-ipsec-mb.h>

#include <cstring>
#include <utility>

namespace bench {

// Says how keys of a row are expanded. The constructor derives it from the strings of the row, once for all keys.
struct ImbExpansion {
    ImbExpansion(IMB_MGR *its, const Row &row)
        : manager(its),
          des(row.des()),
          xcbc(row.block_mac == "XCBC"),
          cmac(row.block_mac == "CMAC"),
          key_bits(cmac ? row.mac_bits : row.key_bits),
          opad_at(row.hash == "sha384" || row.hash == "sha512" ? 64 : 32) {
        const std::pair<const char *, hash_one_block_t> hashes[] = {
            {"sha1", its->sha1_one_block},     {"sha224", its->sha224_one_block}, {"sha256", its->sha256_one_block},
            {"sha384", its->sha384_one_block}, {"sha512", its->sha512_one_block}, {"md5", its->md5_one_block}};
        for (const auto &[name, function] : hashes)
            if (row.hmac && row.hash == name) one_block = function;
    }
    IMB_MGR *const manager;
    const bool des, xcbc, cmac;
    const int key_bits;
    const size_t opad_at;  // what lies behind a chaining value of up to 32 bytes shares its line
    hash_one_block_t one_block = nullptr;
};

// As a program lays it out that has many: what few rows want lies elsewhere.
struct alignas(64) ImbKeys {
    struct Rare {
        uint32_t xcbc[11 * 4];  // XCBC: K1, expanded
        uint64_t des[3][IMB_DES_KEY_SCHED_SIZE / 8];
        const void *three[3];  // its keys
    };
    alignas(64) uint32_t encrypt[15 * 4];
    alignas(64) uint32_t decrypt[15 * 4];
    std::unique_ptr<Rare> rare;
    alignas(64) uint8_t ipad[128];  // and opad behind it; CMAC: the subkeys K1 and K2; XCBC: K2 and K3

    void expand(const ImbExpansion &how, const uint8_t *key, const uint8_t *mac_key) {
        IMB_MGR *const manager = how.manager;
        uint8_t *const second = ipad + how.opad_at;
        if ((how.des || how.xcbc) && !rare) rare.reset(new Rare);
        if (how.des) {
            for (int i = 0; i < 3; i++) {
                IMB_DES_KEYSCHED(manager, rare->des[i], key + 8 * i);
                rare->three[i] = rare->des[i];
            }
        } else {
            const uint8_t *const aes_key = how.cmac ? mac_key : key;
            if (how.key_bits == 128) IMB_AES_KEYEXP_128(manager, aes_key, encrypt, decrypt);
            if (how.key_bits == 192) IMB_AES_KEYEXP_192(manager, aes_key, encrypt, decrypt);
            if (how.key_bits == 256) IMB_AES_KEYEXP_256(manager, aes_key, encrypt, decrypt);
        }
        if (how.xcbc) IMB_AES_XCBC_KEYEXP(manager, mac_key, rare->xcbc, ipad, second);
        if (how.cmac && how.key_bits == 128) IMB_AES_CMAC_SUBKEY_GEN_128(manager, encrypt, ipad, second);
        if (how.cmac && how.key_bits == 256) IMB_AES_CMAC_SUBKEY_GEN_256(manager, encrypt, ipad, second);
        for (int outer = 0; outer < 2 && how.one_block; outer++) {
            uint8_t block[128];  // some take 64 bytes of it
            memset(block, outer ? 0x5c : 0x36, sizeof block);
            for (int i = 0; i < 32; i++) block[i] ^= mac_key[i];
            how.one_block(block, outer ? second : ipad);
        }
    }
};

inline bool imb_knows(const Row &row) {
    for (const char *hash : {"", "sha1", "sha224", "sha256", "sha384", "sha512"})
        if (row.hash == hash) return true;
#if IMB_VERSION_NUM >= IMB_VERSION(2, 0, 0)
    if (row.hash == "sm3" && !row.hmac) return true;
#endif
    return row.hash == "md5" && row.hmac;
}
inline IMB_CIPHER_MODE imb_cipher(const Row &row) {
    return row.des()           ? IMB_CIPHER_DES3
           : row.mode == "CTR" ? IMB_CIPHER_CNTR
           : row.mode == "CCM" ? IMB_CIPHER_CCM
           : row.mode == "ECB" ? IMB_CIPHER_ECB
                               : IMB_CIPHER_CBC;
}

inline IMB_HASH_ALG imb_hash(const Row &row) {
    if (row.mode == "CCM") return IMB_AUTH_AES_CCM;
    if (row.block_mac == "XCBC") return IMB_AUTH_AES_XCBC;
    if (row.mac_bits) return row.mac_bits == 128 ? IMB_AUTH_AES_CMAC : IMB_AUTH_AES_CMAC_256;
    if (row.hash.empty()) return IMB_AUTH_NULL;
    if (row.hash == "sha1") return row.hmac ? IMB_AUTH_HMAC_SHA_1 : IMB_AUTH_SHA_1;
    if (row.hash == "sha256") return row.hmac ? IMB_AUTH_HMAC_SHA_256 : IMB_AUTH_SHA_256;
    if (row.hash == "sha224") return row.hmac ? IMB_AUTH_HMAC_SHA_224 : IMB_AUTH_SHA_224;
    if (row.hash == "sha384") return row.hmac ? IMB_AUTH_HMAC_SHA_384 : IMB_AUTH_SHA_384;
    if (row.hash == "sha512") return row.hmac ? IMB_AUTH_HMAC_SHA_512 : IMB_AUTH_SHA_512;
#if IMB_VERSION_NUM >= IMB_VERSION(2, 0, 0)
    if (row.hash == "sm3" && !row.hmac) return IMB_AUTH_SM3;
#endif
    return IMB_AUTH_MD5; // their name for HMAC-MD5
}

// The direct call for GCM.
inline aes_gcm_enc_dec_t imb_gcm(const IMB_MGR *manager, const Row &row) {
    switch (row.key_bits) {
        case 128: return row.open ? manager->gcm128_dec : manager->gcm128_enc;
        case 192: return row.open ? manager->gcm192_dec : manager->gcm192_enc;
        default: return row.open ? manager->gcm256_dec : manager->gcm256_enc;
    }
}

// Fills the fields that the jobs of all AEADs share: the whole text is enciphered, and the IV has 12 bytes.
inline void imb_fill_aead(IMB_JOB &job, const Row &row, const Buffer &b, const uint8_t *iv, uint8_t *tag,
                          size_t tag_bytes) {
    job.cipher_direction = row.open ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
    job.key_len_in_bytes = uint64_t(row.key_bits / 8);
    job.src = b.in;
    job.dst = b.out;
    job.cipher_start_src_offset_in_bytes = job.hash_start_src_offset_in_bytes = 0;
    job.msg_len_to_cipher_in_bytes = job.msg_len_to_hash_in_bytes = b.bytes;
    job.iv = iv;
    job.iv_len_in_bytes = 12;
    job.auth_tag_output = tag;
    job.auth_tag_output_len_in_bytes = tag_bytes;
}
inline void imb_fill_chacha_poly(IMB_JOB &job, const Row &row, const Buffer &b, const uint8_t *iv, const uint8_t *aad,
                                 size_t aad_bytes, uint8_t *tag) {
    imb_fill_aead(job, row, b, iv, tag, 16);
    job.cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
    job.hash_alg = IMB_AUTH_CHACHA20_POLY1305;
    job.chain_order = row.open ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
    job.enc_keys = job.dec_keys = b.key;
    job.u.CHACHA20_POLY1305.aad = aad;
    job.u.CHACHA20_POLY1305.aad_len_in_bytes = aad_bytes;
}

// The job queue of a manager, for jobs of one kind.
class ImbQueue {
public:
    explicit ImbQueue(IMB_MGR *manager) : manager_(manager) {}
    // One burst of at most IMB_MAX_BURST_SIZE jobs, which `fill` writes, and a flush. False: an error.
    template <class Fill>
    bool run(size_t count, const Fill &fill) {
        IMB_JOB *slots[IMB_MAX_BURST_SIZE];
        if (IMB_GET_NEXT_BURST(manager_, uint32_t(count), slots) != count) return false;
        for (size_t i = 0; i < count; i++) {
            fill(*slots[i], i);
            name_suite(manager_, *slots[i], 0);
        }
        uint32_t done = IMB_SUBMIT_BURST(manager_, uint32_t(count), slots);
        bool ok = done != 0 || manager_->imb_errno == 0;
        for (uint32_t i = 0; i < done; i++) ok &= slots[i]->status == IMB_STATUS_COMPLETED;
        while (ok && done < count) {
            uint32_t more = IMB_FLUSH_BURST(manager_, uint32_t(count - done), slots);
            for (uint32_t i = 0; i < more; i++) ok &= slots[i]->status == IMB_STATUS_COMPLETED;
            ok &= more != 0;
            done += more;
        }
        return ok;
    }

private:
    // Versions whose jobs have a suite_id want it set; it is the same for all jobs of a kind, so it is looked up once.
    template <class Manager, class Job>
    auto name_suite(Manager *manager, Job &job, int) -> decltype(job.suite_id[1], void()) {
        if (!suite_[0] && !suite_[1]) {
            manager->set_suite_id(manager, &job);
            memcpy(suite_, job.suite_id, sizeof suite_);
        }
        memcpy(job.suite_id, suite_, sizeof suite_);
    }
    template <class Manager, class Job>
    void name_suite(Manager *, Job &, long) {}
    IMB_MGR *manager_;
    uint32_t suite_[2] = {};
};

} // namespace bench
