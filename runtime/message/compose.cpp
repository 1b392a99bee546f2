// Runs a cipher or a MAC alone, encrypt-then-MAC, and CCM.
// Encrypt-then-MAC (RFC 7518, 5.2; RFC 4303): the text is encrypted; the MAC covers AAD, IV and ciphertext, HMAC with
// its outer hash. Opening, a message that did not authenticate is not decrypted, or its output is zeroed. Of RC4 one
// kernel does both for most of the text, where that is cheaper (middle.cpp).
// CCM (SP 800-38C): CBC-MAC covers B0, the AAD and the plaintext; counter mode encrypts the plaintext; counter block 0
// encrypts the MAC. Sealing, the MAC reads what the cipher may overwrite; opening, what the cipher wrote.

#include "../suite/secret.hpp"
#include "ccm_blocks.hpp"
#include "constructions.hpp"
#include "mac.hpp"
#include "middle.hpp"
#include "text.hpp"

namespace cst {
namespace {

// RFC 7518: makes the last block from the rest of the text and PKCS#7 padding.
void pad(Message *m) {
    const size_t rest = m->job->in_len % 16;
    m->text_end = m->text_stop = m->job->in_len - rest;
    m->in.read(m->text_end, m->last, rest);
    pkcs7_fill(m->last, rest);
    m->last_bytes = 16;
}

void remove_padding(Message *m) {
    const uint64_t bytes = m->job->in_len;
    uint8_t block[16];
    m->out.read(bytes - sizeof(block), block, sizeof(block));
    const uint32_t padding = padding_bytes(block);
    wipe(block, sizeof(block));
    if (!padding) return fail(m);
    m->job->out_len = bytes - padding;
    m->out.zero(m->job->out_len, padding);
}

// In front of the middle, the cipher is ahead of the hash when sealing, the hash is ahead of the cipher when opening.
void run_stitched(const Class &c) {
    const Middles middles = choose_middles(c);
    if (!middles.any()) return;
    Message **const list = c.memory->list;
    for (const bool hash_turn : {c.opens, !c.opens}) {
        const size_t n = list_paired(c, list);
        for (size_t i = 0; i < n; i++) {
            Message &m = *list[i];
            m.text_stop = cipher_start(m, middles.for_message(m));
            m.hash_stop = hash_start(m, middles.for_message(m));
            if (!c.opens) m.ready = m.ciphered;
        }
        if (hash_turn) run_macs(c, list, n);
        else run_texts(c, list, n, c.opens);
    }
    run_middles(c, middles);
}

}  // namespace

void run_cipher_alone(const Class &c) {
    run_all_texts(c, c.opens);
    for (size_t i = 0; i < c.n; i++) text_done(c.messages[i].job);
}

void run_mac_alone(const Class &c) {
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        m.body = &m.in;
        m.body_bytes = m.ready = m.job->in_len;
        m.job->out_len = 0;
        m.job->status = CST_OK;
        begin_mac(*c.suite, &m);
    }
    finish_macs(c);
    (c.opens ? check_tags : write_tags)(c);
}

void run_encrypt_then_mac(const Class &c) {
    const Suite &suite = *c.suite;
    bool whole = true;
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        if (suite.expansion && !c.opens) pad(&m);
        m.body = c.opens ? &m.in : &m.out;
        m.body_bytes = m.ready = m.text_end + m.last_bytes;
        m.job->status = CST_OK;
        m.job->out_len = size_t(m.body_bytes);
        begin_mac(suite, &m);
        whole &= m.whole;
    }
    if (!c.opens) {
        if (!whole) run_stitched(c);
        run_all_texts(c, false);
        for (size_t i = 0; i < c.n; i++) c.messages[i].ready = c.messages[i].body_bytes;
        finish_macs(c);
        write_tags(c);
        return;
    }
    if (!whole) run_stitched(c);
    finish_macs(c);
    check_tags(c);
    run_all_texts(c, true);
    for (size_t i = 0; i < c.n && suite.expansion; i++)
        if (!c.messages[i].failed) remove_padding(&c.messages[i]);
}

void run_ccm(const Class &c) {
    const Suite &suite = *c.suite;
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        put_ccm_block(*m.job, 0, 1, m.chain);
        m.cipher_from = m.chain;
        m.body = c.opens ? &m.out : &m.in;
        m.body_bytes = m.ready = m.job->in_len;
        text_done(m.job);
        begin_mac(suite, &m);
    }
    if (c.opens) run_all_texts(c, false);
    finish_macs(c);
    if (!c.opens) run_all_texts(c, false);
    BlockCalls blocks(suite);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        mask_ccm_tag(&blocks, *m.job, m.digest, m.last);
    }
    (c.opens ? check_tags : write_tags)(c);
}

}  // namespace cst
