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
    run_middles_behind_macs(c);
    for (size_t i = 0; i < c.n; i++) c.messages[i].text_stop = c.messages[i].text_end;
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
