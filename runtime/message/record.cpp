// TLS records to be sealed, in steps (RFC 5246, 6.2.3.2): the MAC covers head and text, then text, MAC and padding are
// encrypted.

#include "constructions.hpp"
#include "mac.hpp"
#include "text.hpp"

namespace cst {

static_assert((15 + TLS_MOST_MAC) / 16 * 16 + 16 <= MOST_LAST, "text, MAC and padding have room");

void seal_records(const Class &c) {
    const Suite &suite = *c.suite;
    const size_t mac = suite.hash->record.digest_bytes;
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        m.text_end = m.text_stop = m.job->in_len & ~uint64_t(15);
        m.body = &m.in;
        m.body_bytes = m.ready = m.job->in_len;
        begin_mac(suite, &m);
    }
    finish_macs(c);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        const size_t rest = m.job->in_len % 16, padding = 16 - (rest + mac) % 16;
        m.in.read(m.text_end, m.last, rest);
        copy_few(m.last + rest, m.digest, mac);
        memset(m.last + rest + mac, int(padding - 1), padding);
        m.last_bytes = uint32_t(rest + mac + padding);
        m.job->out_len = size_t(m.text_end + m.last_bytes);
        m.job->status = CST_OK;
    }
    run_all_texts(c, false);
}

}  // namespace cst
