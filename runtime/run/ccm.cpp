// CCM (SP 800-38C): CBC-MAC of B0, the AAD and the plaintext; counter mode for the plaintext; the MAC is enciphered by
// counter block 0. Sealing, the MAC reads what the cipher may overwrite, and is ahead in the stitched middle; opening,
// it reads what the cipher wrote (middle.cpp).

#include "ccm_blocks.hpp"
#include "constructions.hpp"
#include "mac.hpp"
#include "middle.hpp"
#include "text.hpp"

namespace cst {

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
    const Middles middles = choose_middles(c);
    Message **const list = c.memory->list;
    const size_t n = list_paired(c, list);
    for (size_t i = 0; i < n; i++) list[i]->hash_stop = hash_start(*list[i], middles.of[0]);
    run_macs(c, list, n);
    run_middles(c, middles);
    for (size_t i = 0; i < c.n; i++) c.messages[i].text_stop = c.messages[i].text_end;
    if (c.opens) run_all_texts(c, false);
    finish_macs(c);
    if (!c.opens) run_all_texts(c, false);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        put_ccm_block(*m.job, 0, 0, m.last);
        aes_encrypt(m.key->encrypt(), suite.encrypt->record.rounds, m.last, m.last);
        put_words(m.digest, load64(m.digest) ^ load64(m.last), load64(m.digest + 8) ^ load64(m.last + 8));
    }
    (c.opens ? check_tags : write_tags)(c);
}

}  // namespace cst
