#include <cstring>

#include "aead.hpp"
#include "chacha.hpp"

namespace cst::imb {
namespace {

bool opens_text(const IMB_JOB &job) { return !seals(job) && job.msg_len_to_cipher_in_bytes; }

}  // namespace

void add_chacha_poly(Work *work, Item *item) {
    const IMB_JOB &job = *item->job;
    const auto &fields = job.u.CHACHA20_POLY1305;
    const uint64_t bytes = job.msg_len_to_cipher_in_bytes;
    ExpandedKey parts;
    parts.cipher = job.enc_keys;
    const bool opens = opens_text(job);
    cst_job *const to = work->add_job(0, item, opens ? *item->plan->cipher : *item->plan->mac, parts);
    if (!to) return;
    memset(item->iv, 0, sizeof(item->iv));
    memcpy(item->iv + 4, job.iv, 12);
    if (!opens) {
        to->iv = item->iv + 4;
        to->iv_len = 12;
        to->aad = fields.aad;
        to->aad_len = size_t(fields.aad_len_in_bytes);
        if (bytes) set_text(to, text_of(job), job.dst, bytes);
        return set_tag(work, to, item, BLOCK);
    }
    item->tag_here = true;
    work->use(item);
    memset(item->block, 0, sizeof(item->block));
    to->iv = memcpy(item->mask, item->iv, sizeof(item->mask));
    to->iv_len = BLOCK;
    set_text(to, item->block, item->block, sizeof(item->block));
    cst_job *const then = work->add_job(1, item, *item->plan->cipher, parts);
    if (!then) return;
    item->iv[0] = 1;
    then->iv = item->iv;
    then->iv_len = BLOCK;
    set_text(then, text_of(job), job.dst, bytes);
}

// The keystream's beginning is there now, the ciphertext still.
void between_chacha_poly(Item *item) {
    const IMB_JOB &job = *item->job;
    if (!opens_text(job)) return;
    const auto &fields = job.u.CHACHA20_POLY1305;
    chacha_tag(item->block, octets(fields.aad), fields.aad_len_in_bytes, text_of(job), job.msg_len_to_cipher_in_bytes,
               item->tag);
}

}  // namespace cst::imb
