#include "composed.hpp"

#include <cstring>

namespace cst::imb {
namespace {

// CTR's of 12 bytes begins to count with 1; ChaCha20's blocks begin with that number, little-endian.
void set_iv(Work *work, cst_job *job, Item *item, size_t bytes) {
    const IMB_JOB &from = *item->job;
    job->iv_len = bytes;
    job->iv = from.iv;
    if (!bytes || from.iv_len_in_bytes == bytes) return;
    work->use(item);
    memset(item->iv, 0, sizeof(item->iv));
    const bool chacha = from.cipher_mode == IMB_CIPHER_CHACHA20;
    item->iv[chacha ? 0 : 15] = 1;
    memcpy(item->iv + (chacha ? 4 : 0), from.iv, 12);
    job->iv = item->iv;
}

// Writes the tag to the job's buffer directly, if the library makes tags of that length.
void set_tag(Work *work, cst_job *job, Item *item, const Suite &suite) {
    const uint64_t bytes = item->job->auth_tag_output_len_in_bytes;
    if (!suite.lengths.seal.hold_tag(bytes)) return set_tag(work, job, item, suite.tag_max);
    job->tag = item->job->auth_tag_output;
    job->tag_len = size_t(bytes);
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

void add_cipher(Work *work, unsigned step, Item *item, const Key **made) {
    const IMB_JOB &job = *item->job;
    const Suite &suite = *item->plan->cipher;
    if (!*made) *made = work->key(suite, cipher_parts(job, suite));
    cst_job *const to = work->add_job(step, item, *made);
    if (!to) return;
    to->direction = seals(job) ? CST_SEAL : CST_OPEN;
    set_iv(work, to, item, suite.iv_bytes);
    set_text(to, text_of(job), job.dst, job.msg_len_to_cipher_in_bytes);
}

// Returns the number of bits in the last byte, if they do not fill it.
unsigned last_bits(const Item &item) {
    return item.plan->in_bits ? unsigned(item.job->msg_len_to_hash_in_bits % 8) : 0;
}

// SP 800-38B, 6.2: the last block is padded here with a one bit and zeros, so that it is a whole block for the suite;
// the subkey for padded blocks takes the place of both.
void add_mac_of_bits(Work *work, unsigned step, Item *item) {
    const IMB_JOB &job = *item->job;
    const Suite &suite = *item->plan->mac;
    ExpandedKey parts;
    add_mac_parts(job, *item->plan, &parts);
    parts.whole = parts.filled;
    cst_job *const to = work->add_job(step, item, suite, parts);
    if (!to) return;
    set_last_block(item);
    work->use(item);
    const size_t blocks = size_t(job.msg_len_to_hash_in_bits / 8 / BLOCK * BLOCK);
    item->pieces[0] = {const_cast<uint8_t *>(job.src) + job.hash_start_src_offset_in_bytes, blocks};
    item->pieces[blocks ? 1 : 0] = {item->block, BLOCK};
    to->in_pieces = item->pieces;
    to->n_in_pieces = blocks ? 2 : 1;
    to->in_len = blocks + BLOCK;
    set_tag(work, to, item, suite);
}

void add_mac(Work *work, unsigned step, Item *item, const Key **made) {
    const IMB_JOB &job = *item->job;
    const Suite &suite = *item->plan->mac;
    if (last_bits(*item)) return add_mac_of_bits(work, step, item);
    if (!*made) {
        ExpandedKey parts;
        add_mac_parts(job, *item->plan, &parts);
        *made = work->key(suite, parts);
    }
    cst_job *const to = work->add_job(step, item, *made);
    if (!to) return;
    to->in = job.src + job.hash_start_src_offset_in_bytes;
    to->in_len = size_t(item->plan->in_bits ? job.msg_len_to_hash_in_bits / 8 : job.msg_len_to_hash_in_bytes);
    set_tag(work, to, item, suite);
}

// The MAC ends where the ciphertext does, and begins with it or in front of it.
bool stitchable(const Item &item) {
    const IMB_JOB &job = *item.job;
    const uintptr_t hashed = reinterpret_cast<uintptr_t>(job.src) + job.hash_start_src_offset_in_bytes,
                    body = reinterpret_cast<uintptr_t>(job.dst);
    return hashed <= body && hashed + job.msg_len_to_hash_in_bytes == body + job.msg_len_to_cipher_in_bytes &&
           job.msg_len_to_hash_in_bytes >= job.msg_len_to_cipher_in_bytes;
}

// Several long texts are worth more as bursts of texts and of MACs, which need no bookkeeping.
bool stitches(const Work &work, const Item &item) {
    const IMB_JOB &job = *item.job;
    if (!item.plan->stitched || !stitchable(item)) return false;
    return work.lone() || job.msg_len_to_hash_in_bytes <= item.plan->stitched_most;
}

void add_stitched(Work *work, Item *item, const Key **made) {
    const IMB_JOB &job = *item->job;
    const Suite &suite = *item->plan->stitched;
    if (!*made) {
        ExpandedKey parts = cipher_parts(job, suite);
        add_mac_parts(job, *item->plan, &parts);
        *made = work->key(suite, parts);
    }
    cst_job *const to = work->add_job(0, item, *made);
    if (!to) return;
    set_iv(work, to, item, BLOCK);
    to->iv_len = suite.iv_bytes;
    to->aad_len = size_t(job.msg_len_to_hash_in_bytes - job.msg_len_to_cipher_in_bytes);
    to->aad = job.dst - to->aad_len;
    set_text(to, text_of(job), job.dst, job.msg_len_to_cipher_in_bytes);
    set_tag(work, to, item, suite);
}

}  // namespace

void set_last_block(Item *item) {
    const unsigned bits = last_bits(*item);
    if (!bits) return;
    const IMB_JOB &job = *item->job;
    const uint64_t bytes = job.msg_len_to_hash_in_bits / 8;
    const size_t whole = size_t(bytes % BLOCK);
    const Bytes from = job.src + job.hash_start_src_offset_in_bytes + (bytes - whole);
    memset(item->block, 0, BLOCK);
    memcpy(item->block, from, whole);
    const uint8_t end = uint8_t(0x80 >> bits);
    item->block[whole] = uint8_t((from[whole] & -(2 * end)) | end);
}

void add_composed(Work *work, Item *item) {
    const Plan &plan = *item->plan;
    Work::Composed *const keys = work->composed(KeySource(*item->job, plan));
    if (!plan.mac) return add_cipher(work, 0, item, &keys->cipher);
    if (!plan.cipher) return add_mac(work, 0, item, &keys->mac);
    if (stitches(*work, *item)) return add_stitched(work, item, &keys->stitched);
    const bool cipher_first = number_of(item->job->chain_order) == IMB_ORDER_CIPHER_HASH;
    add_cipher(work, cipher_first ? 0 : 1, item, &keys->cipher);
    add_mac(work, cipher_first ? 1 : 0, item, &keys->mac);
}

}  // namespace cst::imb
