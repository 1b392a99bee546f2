// Runs XTS (IEEE 1619): the first tweak of every message, then whole blocks, then the last, incomplete block by
// ciphertext stealing.

#include "../suite/secret.hpp"
#include "alone.hpp"
#include "constructions.hpp"
#include "text.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16;

// Return the number of bytes after the last whole block, and the position of that block: it and the rest change places.
size_t rest_of(const Message &m) { return m.job->in_len % BLOCK; }
uint64_t last_whole(const Message &m) { return (m.job->in_len & ~uint64_t(BLOCK - 1)) - BLOCK; }

// Computes the tweak after t: t times x.
void next_tweak(const uint8_t *t, uint8_t *next) {
    uint64_t low, high;
    memcpy(&low, t, 8);
    memcpy(&high, t + 8, 8);
    const uint64_t carry = high >> 63;
    high = high << 1 | low >> 63;
    low = low << 1 ^ ((0 - carry) & 0x87);
    memcpy(next, &low, 8);
    memcpy(next + 8, &high, 8);
}

// Runs the block in `last` with this tweak, for every message that has a rest; the output goes where the last whole
// block is.
template <typename Tweak>
void run_last_blocks(const Class &c, Tweak tweak) {
    Message **const list = c.memory->list;
    size_t n = 0;
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        if (!rest_of(m)) continue;
        m.cipher_from = tweak(m);
        m.ciphered = m.text_end = m.text_stop = last_whole(m);
        m.last_bytes = BLOCK;
        list[n++] = &m;
    }
    run_texts(c, list, n, c.opens);
}

// IEEE 1619, 5.3.2 and 5.4.2: `last` is the output of a whole block. Its first bytes are the end of the message's
// output; the rest of the input replaces them, and the block goes through the cipher again, to precede them in the
// output.
template <typename Tweak>
void steal(const Class &c, Tweak tweak) {
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        const size_t rest = rest_of(m);
        if (!rest) continue;
        uint8_t *const text = m.last + BLOCK;
        const uint64_t at = last_whole(m) + BLOCK;
        m.in.read(at, text, rest);
        m.out.write(at, m.last, rest);
        memcpy(m.last, text, rest);
    }
    run_last_blocks(c, tweak);
}

}  // namespace

// IEEE 1619, 5.3.1: the first tweak is E(K2, i). Opening, the last whole block has the last tweak, and the block that
// contains the rest has the tweak before it.
void run_xts(const Class &c) {
    bool rests = false;
    BlockCalls blocks(*c.suite);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        blocks.encipher(m.key->tweak(), static_cast<const uint8_t *>(m.job->iv), m.chain);
        m.cipher_from = m.chain;
        m.chain_wanted = rest_of(m) != 0;
        m.text_end = last_whole(m) + (c.opens && m.chain_wanted ? 0 : BLOCK);
        text_done(m.job);
        rests |= m.chain_wanted;
    }
    run_all_texts(c, c.opens);
    if (!rests) return;
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        if (!rest_of(m)) continue;
        if (!c.opens) {
            m.out.read(last_whole(m), m.last, BLOCK);
            continue;
        }
        m.in.read(last_whole(m), m.last, BLOCK);
        memcpy(m.hash_chain, m.chain, BLOCK);
        next_tweak(m.chain, m.digest);
    }
    if (c.opens) run_last_blocks(c, [](Message &m) { return m.digest; });
    const bool opens = c.opens;
    steal(c, [opens](Message &m) { return opens ? m.hash_chain : m.chain; });
}

}  // namespace cst
