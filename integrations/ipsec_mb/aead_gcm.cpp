#include <cstring>

#include "aead.hpp"
#include "gcm.hpp"

namespace cst::imb {
namespace {

void add_sealed(Work *work, Item *item, const gcm_key_data &data, const void *iv, uint64_t iv_bytes, const void *aad,
                uint64_t aad_bytes, uint64_t bytes) {
    cst_job *const to = work->add_gcm_job(0, item, *item->plan->mac, data);
    if (!to) return;
    to->iv = iv;
    to->iv_len = size_t(iv_bytes);
    if (iv_bytes <= BLOCK) to->iv = memcpy(item->iv, iv, size_t(iv_bytes));
    to->aad = aad;
    to->aad_len = size_t(aad_bytes);
    if (bytes) set_text(to, text_of(*item->job), item->job->dst, bytes);
    set_tag(to, item, BLOCK);
}

// Then the tag is the GMAC of the ciphertext, and what between_gcm makes of it.
bool opens(const Item &item) {
    return item.plan->kind == Kind::gcm && !seals(*item.job) && item.job->msg_len_to_cipher_in_bytes;
}

const gcm_key_data &gcm_data(const IMB_JOB &job) { return *static_cast<const gcm_key_data *>(job.enc_keys); }
// Where the library's counter would carry.
void decipher(Item *item) {
    const IMB_JOB &job = *item->job;
    const gcm_key_data &data = gcm_data(job);
    const uint64_t bytes = job.msg_len_to_cipher_in_bytes, whole = bytes / BLOCK;
    const Bytes in = text_of(job);
    counter_blocks(job.key_len_in_bytes, data.expanded_keys, item->mask, in, job.dst, whole);
    if (bytes % BLOCK == 0) return;
    encrypt_block(job.key_len_in_bytes, data.expanded_keys, item->mask, item->block);
    for (uint64_t i = whole * BLOCK; i < bytes; i++) job.dst[i] = in[i] ^ item->block[i % BLOCK];
}

}  // namespace

void add_gcm(Work *work, Item *item) {
    const IMB_JOB &job = *item->job;
    const gcm_key_data &data = gcm_data(job);
    const uint64_t bytes = job.msg_len_to_cipher_in_bytes;
    const auto &fields = job.u.GCM;
    if (!opens(*item))
        return add_sealed(work, item, data, job.iv, job.iv_len_in_bytes, fields.aad, fields.aad_len_in_bytes, bytes);
    if (bytes < LONG_GHASH)
        gcm_tag(job.key_len_in_bytes, data, job.iv, job.iv_len_in_bytes, octets(fields.aad), fields.aad_len_in_bytes,
                text_of(job), bytes, item->tag);
    else add_sealed(work, item, data, job.iv, job.iv_len_in_bytes, text_of(job), bytes, 0);
    gcm_first_counter(data, job.iv, job.iv_len_in_bytes, item->mask);
    count_on_32(item->mask, 1);
    uint32_t word;
    memcpy(&word, item->mask + 12, sizeof(word));
    if (__builtin_bswap32(word) + (bytes + BLOCK - 1) / BLOCK > UINT32_MAX) return;  // see between_gcm
    ExpandedKey parts;
    parts.cipher = data.expanded_keys;
    cst_job *const to = work->add_job(1, item, *item->plan->cipher, parts);
    if (!to) return;
    to->iv = item->mask;
    to->iv_len = BLOCK;
    set_text(to, text_of(job), job.dst, bytes);
    item->deciphers = true;
}

bool seal_gcm_alone(const IMB_JOB &job, const Plan &plan) {
    KeptKeys *const kept = KeptKeys::of_thread();
    if (plan.kind != Kind::gcm || !seals(job) || !kept) return false;
    kept->begin();
    const Key *const key = kept->get(*plan.mac, gcm_data(job));
    const auto &fields = job.u.GCM;
    const size_t bytes = size_t(job.msg_len_to_cipher_in_bytes);
    uint8_t tag[BLOCK];
    if (!key || cst_seal(reinterpret_cast<const cst_key *>(key), job.iv, size_t(job.iv_len_in_bytes), fields.aad,
                         size_t(fields.aad_len_in_bytes), bytes ? text_of(job) : nullptr, bytes,
                         bytes ? job.dst : nullptr, bytes, nullptr, tag, BLOCK))
        return false;
    memcpy(job.auth_tag_output, tag, size_t(job.auth_tag_output_len_in_bytes));
    return true;
}

void add_gmac(Work *work, Item *item) {
    const IMB_JOB &job = *item->job;
    const auto &fields = job.u.GMAC;
    add_sealed(work, item, *fields._key, fields._iv, fields.iv_len_in_bytes,
               job.src + job.hash_start_src_offset_in_bytes, job.msg_len_to_hash_in_bytes, 0);
}

void between_gcm(Item *item) {
    const IMB_JOB &job = *item->job;
    if (!opens(*item)) return;
    if (job.msg_len_to_cipher_in_bytes >= LONG_GHASH)
        tag_of_gmac(gcm_data(job), octets(job.u.GCM.aad), job.u.GCM.aad_len_in_bytes, job.msg_len_to_cipher_in_bytes,
                    item->tag);
    if (!item->deciphers) decipher(item);
}

}  // namespace cst::imb
