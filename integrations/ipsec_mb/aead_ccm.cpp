#include <cstring>

#include "aead.hpp"
#include "counter.hpp"

namespace cst::imb {
namespace {

constexpr size_t CCM_COUNT = 15;
constexpr size_t MOST_CCM_HEAD = 4 * BLOCK;  // B0, and at most 46 bytes of AAD behind their number
static_assert(MOST_CCM_HEAD <= sizeof(Item::block));

// The MAC of CCM (A.2) over what was opened: CMAC whose masks are zero.
void add_cbc_mac(Work *work, Item *item) {
    static const uint8_t zero[BLOCK] = {};
    const IMB_JOB &job = *item->job;
    const auto &fields = job.u.CCM;
    const uint64_t bytes = job.msg_len_to_cipher_in_bytes, aad = fields.aad_len_in_bytes;
    uint8_t *const head = item->block;
    memset(head, 0, MOST_CCM_HEAD);
    const size_t iv_bytes = size_t(job.iv_len_in_bytes);
    head[0] = uint8_t((aad ? 0x40 : 0) | (job.auth_tag_output_len_in_bytes - 2) / 2 << 3 | (CCM_COUNT - iv_bytes - 1));
    memcpy(head + 1, job.iv, iv_bytes);
    for (size_t i = 0; i < CCM_COUNT - iv_bytes && i < sizeof(bytes); i++)
        head[BLOCK - 1 - i] = uint8_t(bytes >> (8 * i));
    size_t used = BLOCK;
    if (aad) {
        head[used++] = uint8_t(aad >> 8);
        head[used++] = uint8_t(aad);
        memcpy(head + used, fields.aad, size_t(aad));
        used = (used + size_t(aad) + BLOCK - 1) / BLOCK * BLOCK;
    }
    ExpandedKey parts;
    parts.mac = job.enc_keys;
    parts.whole = parts.filled = zero;
    cst_job *const to = work->add_job(1, item, *item->plan->mac, parts);
    if (!to) return;
    const size_t padding = size_t(-bytes % BLOCK);
    item->pieces[0] = {head, used};
    item->pieces[1] = {job.dst, size_t(bytes)};
    item->pieces[2] = {const_cast<uint8_t *>(zero), padding};
    to->in_pieces = item->pieces;
    to->n_in_pieces = !bytes ? 1 : padding ? 3 : 2;
    to->in_len = used + size_t(bytes) + padding;
    set_tag(work, to, item, BLOCK);
}

}  // namespace

void add_ccm(Work *work, Item *item) {
    const IMB_JOB &job = *item->job;
    const auto &fields = job.u.CCM;
    const uint64_t bytes = job.msg_len_to_cipher_in_bytes;
    const size_t iv_bytes = size_t(job.iv_len_in_bytes);
    if (seals(job)) {
        ExpandedKey parts;
        parts.cipher = job.enc_keys;
        cst_job *const to = work->add_job(0, item, *item->plan->cipher, parts);
        if (!to) return;
        to->iv = memcpy(item->iv, job.iv, iv_bytes);
        to->iv_len = iv_bytes;
        to->aad = fields.aad;
        to->aad_len = size_t(fields.aad_len_in_bytes);
        if (bytes) set_text(to, text_of(job), job.dst, bytes);
        return set_tag(work, to, item, size_t(job.auth_tag_output_len_in_bytes));
    }
    // SP 800-38C, A.3: the counter's first block hides the tag, the next begins the text.
    item->iv[0] = uint8_t(CCM_COUNT - iv_bytes - 1);
    memset(item->iv + 1, 0, BLOCK - 1);
    memcpy(item->iv + 1, job.iv, iv_bytes);
    encrypt_block(job.key_len_in_bytes, job.enc_keys, item->iv, item->mask);
    if (bytes) {
        ExpandedKey parts;
        parts.cipher = job.enc_keys;
        cst_job *const to = work->add_job(0, item, *item->plan->cipher, parts);
        if (!to) return;
        item->iv[BLOCK - 1] = 1;
        to->iv = item->iv;
        to->iv_len = BLOCK;
        set_text(to, text_of(job), job.dst, bytes);
    }
    add_cbc_mac(work, item);
}

void finish_ccm(Item *item) {
    if (seals(*item->job)) return;
    for (size_t i = 0; i < BLOCK; i++) item->tag[i] ^= item->mask[i];
}

}  // namespace cst::imb
