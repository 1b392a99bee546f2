#include "composed.hpp"

#include <cstring>

namespace cst::imb {
namespace {

constexpr size_t BLOCK = 16;

// The IV is copied: it may lie where the text is written. CTR's of 12 bytes begins to count with 1; ChaCha20's
// blocks begin with that number, little-endian.
void set_iv(cst_job *job, Item *item, size_t bytes) {
    const IMB_JOB &from = *item->job;
    memset(item->iv, 0, sizeof(item->iv));
    if (from.cipher_mode == IMB_CIPHER_CHACHA20) {
        item->iv[0] = 1;
        memcpy(item->iv + 4, from.iv, 12);
    } else if (bytes) {
        memcpy(item->iv, from.iv, size_t(from.iv_len_in_bytes));
        if (from.iv_len_in_bytes == 12) item->iv[15] = 1;
    }
    job->iv = item->iv;
    job->iv_len = bytes;
}

ExpandedKey cipher_parts(const IMB_JOB &job, const Suite &suite) {
    ExpandedKey parts;
    parts.direction = seals(job) ? CST_SEAL : CST_OPEN;
    parts.cipher = parts.direction == CST_OPEN && suite.decrypt != suite.encrypt ? job.dec_keys : job.enc_keys;
    return parts;
}

void add_mac_parts(const IMB_JOB &job, const Plan &plan, ExpandedKey *parts) {
    if (size_t(plan.mac_name) < HMACS) {
        parts->inner = job.u.HMAC._hashed_auth_key_xor_ipad;
        parts->outer = job.u.HMAC._hashed_auth_key_xor_opad;
    } else if (plan.mac_name == Mac::xcbc) {
        parts->mac = job.u.XCBC._k1_expanded;
        parts->whole = job.u.XCBC._k2;
        parts->filled = job.u.XCBC._k3;
    } else {
        parts->mac = job.u.CMAC._key_expanded;
        parts->whole = job.u.CMAC._skey1;
        parts->filled = job.u.CMAC._skey2;
    }
}

void add_cipher(Work *work, unsigned step, Item *item) {
    const IMB_JOB &job = *item->job;
    const Suite &suite = *item->plan->cipher;
    const ExpandedKey parts = cipher_parts(job, suite);
    cst_job *const to = work->add_job(step, item, suite, parts);
    if (!to) return;
    to->direction = parts.direction;
    set_iv(to, item, suite.iv_bytes);
    set_text(to, text_of(job), job.dst, job.msg_len_to_cipher_in_bytes);
}

void add_mac(Work *work, unsigned step, Item *item) {
    const IMB_JOB &job = *item->job;
    const Suite &suite = *item->plan->mac;
    ExpandedKey parts;
    add_mac_parts(job, *item->plan, &parts);
    cst_job *const to = work->add_job(step, item, suite, parts);
    if (!to) return;
    to->in = job.src + job.hash_start_src_offset_in_bytes;
    to->in_len = size_t(job.msg_len_to_hash_in_bytes);
    set_tag(to, item, suite.tag_max);
}

// The MAC ends where the ciphertext does, and begins with it or in front of it.
bool stitchable(const Item &item) {
    const IMB_JOB &job = *item.job;
    if (!item.plan->stitched) return false;
    const uintptr_t hashed = reinterpret_cast<uintptr_t>(job.src) + job.hash_start_src_offset_in_bytes,
                    body = reinterpret_cast<uintptr_t>(job.dst);
    return hashed <= body && hashed + job.msg_len_to_hash_in_bytes == body + job.msg_len_to_cipher_in_bytes &&
           job.msg_len_to_hash_in_bytes >= job.msg_len_to_cipher_in_bytes;
}

void add_stitched(Work *work, Item *item) {
    const IMB_JOB &job = *item->job;
    const Suite &suite = *item->plan->stitched;
    ExpandedKey parts = cipher_parts(job, suite);
    add_mac_parts(job, *item->plan, &parts);
    cst_job *const to = work->add_job(0, item, suite, parts);
    if (!to) return;
    set_iv(to, item, BLOCK);
    to->iv_len = suite.iv_bytes;
    to->aad_len = size_t(job.msg_len_to_hash_in_bytes - job.msg_len_to_cipher_in_bytes);
    to->aad = job.dst - to->aad_len;
    set_text(to, text_of(job), job.dst, job.msg_len_to_cipher_in_bytes);
    set_tag(to, item, suite.tag_max);
}

}  // namespace

void add_composed(Work *work, Item *item) {
    const Plan &plan = *item->plan;
    if (plan.cipher && plan.mac) {
        if (stitchable(*item)) return add_stitched(work, item);
        const bool cipher_first = number_of(item->job->chain_order) == IMB_ORDER_CIPHER_HASH;
        (cipher_first ? add_cipher(work, 0, item) : add_mac(work, 0, item));
        return cipher_first ? add_mac(work, 1, item) : add_cipher(work, 1, item);
    }
    plan.cipher ? add_cipher(work, 0, item) : add_mac(work, 0, item);
}

}  // namespace cst::imb
