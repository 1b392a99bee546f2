// GCM (SP 800-38D). The middle of a long text is stitched as in middle.cpp. Opening in place, the hash goes ahead of
// the cipher, which overwrites what is hashed; what the cipher wrote is wiped if the tag is wrong. AAD, lengths and the
// few blocks that whole iterations leave are hashed by calls of their own.

#include <algorithm>

#include "../suite/secret.hpp"
#include "../executors/alone.hpp"
#include "constructions.hpp"
#include "../plan/lineup.hpp"
#include "mac.hpp"
#include "middle.hpp"
#include "text.hpp"

namespace cst {
namespace {

constexpr size_t BLOCK = 16;

const KeyRow *powers_end(const Message &m) { return m.key->powers() + GHASH_POWERS; }

// Makes the first counter block in `chain`, encrypts it into `last`, and increments the counter (6.2).
template <class Blocks>
void make_counter(Blocks *blocks, Message *m) {
    first_counter(*m->job, m->chain);
    blocks->encipher(m->key->encrypt(), m->chain, m->last);
    count_on(Construction::gcm, m->chain, 1);
    m->cipher_from = m->chain;
}

// Hashes each body up to hash_stop: in lanes, or each by calls of its own, whichever takes less time.
void absorb_bodies(const Class &c, Message **list, size_t n) {
    const Suite &suite = *c.suite;
    Need need = {&suite.hashes, 0, 0, 0};
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t left = list[i]->hash_stop - list[i]->hashed;
        if (!left) continue;
        need.messages++;
        need.most = std::max(need.most, left);
        sum += left;
    }
    if (need.messages) {
        need.bytes = sum / need.messages;
        const Lineup lanes = line_up(suite, need);
        const double in_lanes = step_cycles(suite, need);
        need.family = &suite.whole_hashes;
        need.whole = true;
        if (lanes.variant && (lanes.variant == suite.forced || in_lanes < step_cycles(suite, need)))
            run_bodies(c, list, n, *lanes.variant);
    }
    for (size_t i = 0; i < n; i++) {
        Message &m = *list[i];
        if (m.hash_from != m.hash_chain) memcpy(m.hash_chain, m.hash_from, BLOCK);
        m.hash_from = m.hash_chain;
        while (m.hashed < m.hash_stop) {
            uint64_t some = std::min(m.body->together(m.hashed), m.hash_stop - m.hashed);
            if (m.hashed + some < m.hash_stop) some &= ~uint64_t(BLOCK - 1);
            if (some) {
                ghash(suite, powers_end(m), m.hash_chain, m.body->at(m.hashed), some);
            } else {
                alignas(16) uint8_t block[BLOCK];
                some = std::min<uint64_t>(BLOCK, m.hash_stop - m.hashed);
                m.body->read(m.hashed, block, size_t(some));
                ghash(suite, powers_end(m), m.hash_chain, block, some);
                wipe(block, sizeof(block));
            }
            m.hashed += some;
        }
    }
}

// Makes the tag (7.1, steps 5 and 6) in `digest`.
void finish(const Suite &suite, Message *m) {
    ghash_lengths(suite, powers_end(*m), m->hash_chain, m->job->aad_len, m->job->in_len);
    put_words(m->digest, load64(m->last) ^ load64(m->hash_chain), load64(m->last + 8) ^ load64(m->hash_chain + 8));
}

// Begins every message: counter, mask of the tag, AAD.
template <class Blocks>
void begin_messages(const Class &c) {
    const Suite &suite = *c.suite;
    Blocks blocks(suite);
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        m.body = c.opens ? &m.in : &m.out;
        m.body_bytes = m.job->in_len;
        text_done(m.job);
        begin_mac(&m);
        m.stage = Stage::body;
        make_counter(&blocks, &m);
        put_zeros(m.hash_chain);
        m.hash_from = m.hash_chain;
        ghash(suite, powers_end(m), m.hash_chain, m.job->aad, m.job->aad_len);
    }
}

}  // namespace

void run_gcm(const Class &c) {
    const Suite &suite = *c.suite;
    suite.block ? begin_messages<BlockCalls>(c) : begin_messages<CounterBlocks>(c);
    run_middles_behind(c, absorb_bodies);
    Message **const list = c.memory->other;
    for (size_t i = 0; i < c.n; i++) {
        Message &m = c.messages[i];
        m.hash_stop = m.body_bytes;
        list[i] = &m;
    }
    if (!c.opens) run_all_texts(c);
    absorb_bodies(c, list, c.n);
    for (size_t i = 0; i < c.n; i++) finish(suite, &c.messages[i]);
    if (!c.opens) return write_tags(c);
    check_tags(c);
    run_all_texts(c);
}

}  // namespace cst
